import Foundation
import TestSupport
import Testing

/// The Swift compiler with the modules in the build folder.
enum Compiler {
    /// The compiler's messages about a source; empty if it compiles without a warning.
    ///
    /// Includes the checks of ownership, which follow those of types.
    static func complaints(about source: String) throws -> String {
        try complaints(about: [("Snippet.swift", source)])
    }

    /// The same for the files of one module.
    static func complaints(about files: [(name: String, text: String)]) throws -> String {
        let folder = try TemporaryFolder()
        let paths = try files.map { try folder.write($0.name, $0.text) }
        let finished = try ChildProcess.run(
            "swiftc",
            [
                "-emit-sil", "-wmo", "-o", "/dev/null", "-parse-as-library",
                "-swift-version", "6",
                "-warnings-as-errors", "-module-name", "Snippet",
            ] + Modules.arguments + paths)
        #expect(
            finished.standardError.isEmpty == (finished.exit == .code(0)), "\(finished)")
        return finished.standardError
    }

    /// The machine code of a source as in a release build, in assembly.
    static func assembly(of source: String) throws -> String {
        let folder = try TemporaryFolder()
        let finished = try ChildProcess.run(
            "swiftc",
            [
                "-emit-assembly", "-O", "-wmo", "-o", "-", "-parse-as-library",
                "-swift-version", "6", "-warnings-as-errors", "-module-name", "Snippet",
            ] + Modules.arguments + [try folder.write("Snippet.swift", source)])
        #expect(finished.exit == .code(0), "\(finished.standardError)")
        return String(decoding: finished.standardOutput, as: UTF8.self)
    }
}
