import Foundation
import Glibc
import Testing

/// A folder that goes away with its owner.
struct ScratchFolder: ~Copyable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "greenroom-files-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    /// Writes bytes to a file and returns its path.
    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }
}

func contents(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
}

func byteCount(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : -1
}

/// ffmpeg, the independent reader and writer.
enum Oracle {
    static let isPresent = access("/usr/bin/ffmpeg", X_OK) == 0

    /// Runs ffmpeg and returns its standard output.
    static func ffmpeg(_ arguments: String...) throws -> [UInt8] { try ffmpeg(arguments) }

    static func ffmpeg(_ arguments: [String]) throws -> [UInt8] {
        try run("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments)
    }

    /// Asks ffprobe for entries of the first stream, one a line.
    static func ffprobe(_ path: String, _ entries: String) throws -> [String] {
        let output = try run(
            "ffprobe", ["-v", "error", "-show_entries", entries, "-of", "csv=p=0:s=\\ ", path])
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> [UInt8] {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/" + program)
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(program) \(arguments)")
        return [UInt8](output)
    }
}
