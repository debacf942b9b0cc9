import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests that the package's plugins in source form compile without a warning.
@Suite(.ownThreads) struct CompilationTests {
    static let compilers = ["gcc", "clang"]

    func check(_ compiler: String, _ standard: String, _ arguments: [String]) throws {
        let run = try ChildProcess.run(
            compiler,
            ["-std=\(standard)", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
                + ["-I", Checkout.include] + arguments)
        #expect(run.exit == .code(0), "\(run)")
    }

    /// The tests of what they do build them with the other compiler.
    @Test(arguments: Nightly.list(compilers) { $0 == "clang" })
    func `hostile plugins compile`(compiler: String) throws {
        try check(compiler, "c11", ["-D_GNU_SOURCE"] + (try TestPlugins.hostileSources()))
    }
}
