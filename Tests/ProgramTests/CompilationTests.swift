import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests that the package's plugins in source form compile without a warning.
@Suite(.ownThreads) struct CompilationTests {
    static let compilers = ["gcc", "clang"]

    private func check(_ compiler: String, _ standard: String, _ arguments: [String]) throws {
        let run = try ChildProcess.run(
            compiler,
            ["-std=\(standard)", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
                + ["-I", Checkout.include] + arguments)
        #expect(run.exit == .code(0), "\(run)")
    }

    @Test(.nightly, arguments: Nightly.pairs(compilers, ["c99", "c11", "c17", "c2x"]))
    func `the sample in C compiles with every standard`(compiler: String, standard: String) throws {
        try check(
            compiler, standard,
            [
                "-D_POSIX_C_SOURCE=200809L", "-Wconversion", "-Wshadow",
                Checkout.root + "/Samples/c-camera/camera.c",
            ])
    }

    /// The tests of what they do build them with the other compiler.
    @Test(arguments: Nightly.list(compilers) { $0 == "clang" })
    func `hostile plugins compile`(compiler: String) throws {
        try check(compiler, "c11", ["-D_GNU_SOURCE"] + (try TestPlugins.hostileSources()))
    }

    /// By day `LoadingTests` builds them, with gcc: each is one more run of the compiler.
    @Test(.nightly, arguments: compilers)
    func `every malformed plugin compiles`(compiler: String) throws {
        let faults = try TestPlugins.faults()
        #expect(faults.count > 40)
        for fault in faults {
            try check(
                compiler, "c11",
                ["-DFAULT_\(fault)", TestPlugins.sources + "/malformed/malformed.c"])
        }
    }

    @Test(.nightly) func `a plugin exports only its entry`() throws {
        let run = try ChildProcess.run(
            "nm", ["--dynamic", "--defined-only", "--format=posix", try TestPlugins.cCamera()])
        let names = run.text.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        #expect(names == ["greenroom_plugin_entry"], "\(run)")
    }

    /// The templates of `greenroom new`, which are plugins themselves.
    private static let templates: [String] = {
        let folder = Checkout.root + "/Sources/CPluginTemplates/Templates"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { "\(folder)/\($0)" }
    }()

    @Test(
        .nightly,
        arguments: Nightly.pairs(compilers, ["c99", "c11", "c17", "c2x", "c++17", "c++20"]))
    func `every template in C compiles as every C, and as C++`(
        compiler: String, standard: String
    ) throws {
        let sources = Self.templates.filter { $0.hasSuffix(".c") }
        #expect(sources.count == 10)
        let asCXX = standard.hasPrefix("c++") ? ["-x", "c++"] : []
        try check(
            compiler, standard, ["-Wconversion", "-Wshadow"] + asCXX + sources)
    }

    @Test(.nightly, arguments: Nightly.pairs(compilers, ["c++17", "c++20"]))
    func `every template in C++ compiles as every C++`(compiler: String, standard: String) throws {
        let sources = Self.templates.filter { $0.hasSuffix(".cpp") }
        #expect(sources.count == 5)
        try check(
            compiler, standard, ["-Wconversion", "-Wshadow", "-Wnon-virtual-dtor"] + sources)
    }

    /// By day `NewCommandTests` compiles what is made from them.
    @Test(
        .nightly,
        arguments: templates.filter {
            $0.hasSuffix(".swift") && !$0.hasSuffix("Package.swift")
                && !$0.hasSuffix("/Tests.swift")
        })
    func `every template in Swift compiles`(source: String) throws {
        let run = try TestPlugins.checkSwift(source, module: "MyPlugin")
        #expect(run.exit == .code(0) && !run.standardError.contains("warning:"), "\(run)")
    }

    @Test(.nightly) func `manifest and build script are made from valid templates`() throws {
        for (program, name) in [
            ("swiftc", "Package.swift"), ("sh", "build.sh"), ("sh", "build-cpp.sh"),
        ] {
            let file = try #require(Self.templates.first { $0.hasSuffix("/\(name)") })
            let run = try ChildProcess.run(program, [program == "sh" ? "-n" : "-parse", file])
            #expect(run.exit == .code(0) && run.standardError.isEmpty, "\(run)")
        }
    }
}
