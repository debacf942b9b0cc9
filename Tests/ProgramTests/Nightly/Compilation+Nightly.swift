import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension CompilationTests {
    @Test(arguments: Nightly.pairs(compilers, ["c99", "c11", "c17", "c2x"]))
    func `the sample in C compiles with every standard`(compiler: String, standard: String) throws {
        try check(
            compiler, standard,
            [
                "-D_POSIX_C_SOURCE=200809L", "-Wconversion", "-Wshadow",
                Checkout.root + "/Samples/c-camera/camera.c",
            ])
    }

    /// By day `LoadingTests` builds them, with gcc: each is one more run of the compiler.
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

    @Test func `a plugin exports only its entry`() throws {
        let run = try ChildProcess.run(
            "nm", ["--dynamic", "--defined-only", "--format=posix", try TestPlugins.cCamera()])
        let names = run.text.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        #expect(names == ["greenroom_plugin_entry"], "\(run)")
    }

    @Test(
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

    @Test(arguments: Nightly.pairs(compilers, ["c++17", "c++20"]))
    func `every template in C++ compiles as every C++`(compiler: String, standard: String) throws {
        let sources = Self.templates.filter { $0.hasSuffix(".cpp") }
        #expect(sources.count == 10)
        try check(
            compiler, standard, ["-Wconversion", "-Wshadow", "-Wnon-virtual-dtor"] + sources)
    }

    /// By day `NewCommandTests` compiles what is made from them.
    @Test(
        arguments: templates.filter {
            $0.hasSuffix(".swift") && !$0.hasSuffix("Package.swift")
                && !$0.hasSuffix("/Tests.swift")
        })
    func `every template in Swift compiles`(source: String) throws {
        let run = try TestPlugins.checkSwift(source, module: "MyPlugin")
        #expect(run.exit == .code(0) && !run.standardError.contains("warning:"), "\(run)")
    }

    @Test func `the templates of manifests and build scripts are valid`() throws {
        for (program, name) in [
            ("swiftc", "Package.swift"), ("sh", "build.sh"), ("sh", "build-cpp.sh"),
        ] {
            let file = try #require(Self.templates.first { $0.hasSuffix("/\(name)") })
            let run = try ChildProcess.run(program, [program == "sh" ? "-n" : "-parse", file])
            #expect(run.exit == .code(0) && run.standardError.isEmpty, "\(run)")
        }
    }

    /// The templates of `greenroom new`, which are plugins themselves.
    private static let templates: [String] = {
        let folder = Checkout.root + "/Sources/CPluginTemplates/Templates"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { "\(folder)/\($0)" }
    }()
}
