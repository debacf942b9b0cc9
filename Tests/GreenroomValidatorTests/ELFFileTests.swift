import Foundation
import GreenroomPluginInterface
import TestSupport
import Testing

@testable import GreenroomValidator

/// Reading a library file with any content.
@Suite(.ownThreads) struct ELFFileTests {
    /// Builds a small library in C.
    private func build(_ source: String, _ words: [String] = []) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.path + "/elf-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(source.utf8).write(to: URL(filePath: "\(folder)/it.c"))
        let run = try ChildProcess.run(
            "cc", ["-shared", "-fPIC", "\(folder)/it.c", "-o", "\(folder)/it.so"] + words)
        try #require(run.exit == .code(0), "\(run)")
        return try readFile("\(folder)/it.so")
    }

    private let small = """
        int shown(void) { return 1; }
        extern int other(void);
        __attribute__((weak)) extern int perhaps(void);
        __attribute__((visibility("hidden"))) int kept(void) { return other(); }
        static int own(void) { return perhaps ? perhaps() : 0; }
        int second(void) { return own() + kept(); }
        """

    @Test(arguments: ["sysv", "gnu", "both"])
    func `exported names match the source`(tables: String) throws {
        let file = try ELFFile(
            build(
                small,
                [
                    "-Wl,--hash-style=\(tables)", "-Wl,--unresolved-symbols=ignore-all",
                    "-Wl,--no-as-needed", "-lm",
                ]))
        let exported = Set(file.exports.map(\.name)).subtracting([
            "_init", "_fini", "_edata", "_end", "__bss_start",
        ])
        #expect(exported == ["shown", "second"])
        #expect(file.imports.contains { $0.name == "other" && !$0.isWeak })
        #expect(file.imports.contains { $0.name == "perhaps" && $0.isWeak })
        #expect(file.needed.contains { $0.hasPrefix("libm.so") })
        #expect(file.memoryFault == nil)
    }

    @Test func `library folders match the linker's arguments`() throws {
        let source = "int shown(void) { return 1; }"
        for tags in ["--enable-new-dtags", "--disable-new-dtags"] {
            let file = try ELFFile(build(source, ["-Wl,\(tags)", "-Wl,-rpath,/a:b::$ORIGIN"]))
            #expect(file.searchFolders == ["/a", "b", "", "$ORIGIN"])
        }
        #expect(try ELFFile(build(source)).searchFolders.isEmpty)
    }

    @Test func `writable and executable memory is detected`() throws {
        let source = "int shown(void) { return 1; }"
        #expect(try ELFFile(build(source)).memoryFault == nil)
        for words in [["-Wl,-z,execstack"], ["-Wl,-N", "-nostdlib"]] {
            #expect(try ELFFile(build(source, words)).memoryFault != nil, "\(words)")
        }
        let relocated = "__asm__(\".text\\n.quad place\\n.data\\nplace: .quad 0\\n.text\");"
        #expect(try ELFFile(build(relocated, ["-Wl,-z,notext"])).hasTextRelocations)
    }

    @Test func `a file that is not a library differs from a library for another machine`() throws {
        func problem(_ bytes: [UInt8]) -> ELFError? {
            do throws(ELFError) {
                _ = try ELFFile(bytes)
                return nil
            } catch {
                return error
            }
        }
        #expect(problem([])?.code == .notALibrary)
        #expect(problem(Array("#!/bin/sh\n".utf8))?.code == .notALibrary)
        #expect(problem(try readFile("/proc/self/exe"))?.code != .unusable)
        var bytes = try build("int shown(void) { return 1; }")
        #expect(problem(bytes) == nil)
        bytes[18] = 0xF3
        bytes[19] = 0x7F
        #expect(problem(bytes)?.code == .unusable)
        bytes[4] = 1
        #expect(problem(bytes)?.code == .unusable)
    }

    @Test(arguments: 1...8)
    func `random bytes are read as a library or refused`(seed: UInt64) throws {
        var random = SeededRandom(seed)
        let library = try build(small, ["-Wl,--unresolved-symbols=ignore-all"])
        var read = 0
        for _ in 0..<400 {
            var bytes = library
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                // Noise with a valid start.
                bytes = Array(bytes.prefix(Int.random(in: 0...64, using: &random)))
                for _ in 0..<Int.random(in: 0...400, using: &random) {
                    bytes.append(UInt8.random(in: 0...255, using: &random))
                }
            case 1: bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            case 2:
                // Numbers that overflow in calculations.
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<1024, using: &random) * 8 % (bytes.count - 8)
                    let byte: UInt8 = Bool.random(using: &random) ? 0xFF : 0x7F
                    for index in 0..<8 { bytes[place + index] = byte }
                }
            default:
                for _ in 0..<Int.random(in: 1...40, using: &random) {
                    bytes[Int.random(in: 16..<bytes.count, using: &random)] ^=
                        1 << UInt8.random(in: 0..<8, using: &random)
                }
            }
            // Everything can be read from an accepted file.
            if let file = try? ELFFile(bytes) {
                read += 1
                _ = (file.memoryFault, file.exports.count + file.imports.count)
            }
        }
        // Some were changed in unused places.
        #expect(read > 0 && read < 400)
    }
}
