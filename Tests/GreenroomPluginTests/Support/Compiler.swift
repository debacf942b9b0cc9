import TestSupport
import Testing

/// The Swift compiler, run against the modules that were built beside the tests.
enum Compiler {
    /// What the compiler says of a source; empty if it compiles without a warning.
    ///
    /// Goes as far as the checks of ownership, which come after those of types.
    static func complaints(about source: String) throws -> String {
        let folder = try TemporaryFolder()
        let file = try folder.write("Snippet.swift", source)
        let finished = try ChildProcess.run(
            "swiftc",
            [
                "-emit-sil", "-o", "/dev/null", "-parse-as-library", "-swift-version", "6",
                "-warnings-as-errors", "-module-name", "Snippet",
                "-I", Checkout.products + "/Modules",
                "-Xcc", "-fmodule-map-file=" + moduleMap, file,
            ], atMost: .seconds(120))
        #expect(
            finished.standardError.isEmpty == (finished.exit == .code(0)), "\(finished)")
        return finished.standardError
    }

    static let moduleMap = Checkout.root + "/Sources/GreenroomABI/module.modulemap"
}
