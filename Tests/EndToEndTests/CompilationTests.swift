import Testing
import TestSupport

/// The plugins in C that come with the package compile without a warning.
@Suite(.ownThreads) struct CompilationTests {
    static let compilers = ["gcc", "clang"]

    private func check(_ compiler: String, _ standard: String, _ arguments: [String]) throws {
        let run = try ChildProcess.run(
            compiler,
            ["-std=\(standard)", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
                + ["-I", Checkout.include] + arguments)
        #expect(run.exit == .code(0), "\(run)")
    }

    @Test(arguments: compilers, ["c99", "c11", "c17", "c2x"])
    func `the sample in C compiles as every C`(compiler: String, standard: String) throws {
        try check(
            compiler, standard,
            [
                "-D_POSIX_C_SOURCE=200809L", "-Wconversion", "-Wshadow",
                Checkout.root + "/Samples/c-camera/camera.c",
            ])
    }

    @Test(arguments: compilers)
    func `hostile plugins compile`(compiler: String) throws {
        try check(compiler, "c11", ["-D_GNU_SOURCE"] + (try TestPlugins.hostileSources()))
    }

    @Test(arguments: compilers)
    func `every malformed plugin compiles`(compiler: String) throws {
        let faults = try TestPlugins.faults()
        #expect(faults.count > 40)
        for fault in faults {
            try check(
                compiler, "c11",
                ["-DFAULT_\(fault)", TestPlugins.sources + "/malformed/malformed.c"])
        }
    }

    @Test func `a plugin exports its entry and nothing else`() throws {
        let run = try ChildProcess.run(
            "nm", ["--dynamic", "--defined-only", "--format=posix", try TestPlugins.cCamera()])
        let names = run.text.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        #expect(names == ["greenroom_plugin_entry"], "\(run)")
    }
}
