import Glibc
import Testing

private let bundledPlugins = [
    "Adjust", "ColorBars", "Slides", "Tone", "Watermark", "WaveFile", "Y4MFile",
]

/// What built plugins need and show.
@Suite struct LinkageTests {
    @Test(arguments: bundledPlugins)
    func `a plugin does without Foundation`(name: String) throws {
        let output = try run("ldd", "\(productFolder())/lib\(name).so")
        #expect(output.contains("libswiftCore.so"))
        #expect(!output.contains("Foundation"))
    }

    @Test(arguments: bundledPlugins)
    func `a plugin exports its entry`(name: String) throws {
        let output = try run("nm", "-D", "--defined-only", "\(productFolder())/lib\(name).so")
        #expect(output.contains(" T greenroom_plugin_entry\n"))
    }
}

/// Runs a command and returns what it writes, errors included, whatever its exit status.
func run(_ words: String...) throws -> String {
    let quoted = words.map { "'" + $0.split(separator: "'").joined(separator: "'\\''") + "'" }
    let pipe = try #require(popen(quoted.joined(separator: " ") + " 2>&1", "r"))
    defer { pclose(pipe) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
        bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
}
