import Foundation
import Glibc
package import TestSupport

/// Builds the plugins in C that tests load, into a folder beside the products.
package enum TestPlugins {
    /// The hostile plugins, built once.
    package static func hostile() throws -> String { try builtHostile.get() }

    /// The same against the headers of interface 1.0, built once.
    package static func hostileOfFirstInterface() throws -> String { try builtHostileOfFirst.get() }

    /// The program of the sample that broadcasts, in C, built once.
    package static func bouncer() throws -> String { try builtBouncer.get() }

    /// The hostile program that broadcasts, built once.
    package static func broadcaster() throws -> String { try builtPeer.get() }

    /// The stand-alone sample in C, built once.
    package static func cCamera() throws -> String { try builtCCamera.get() }

    /// A camera, a filter and a microphone in C++ that throw where a setting says, built once.
    package static func throwing() throws -> String { try builtThrowing.get() }

    /// The receivers of `Samples/VendorStyle/cpp`, which log what they got, built once.
    package static func zoomReceivers() throws -> String { try builtZoomReceivers.get() }

    /// A camera in Swift that ends in a `fatalError`, built once.
    package static func fatal() throws -> String { try builtFatal.get() }

    /// An output in Swift that wants something else again and again, built once.
    package static func changing() throws -> String { try builtChanging.get() }

    /// An output in C that digests frames, and does what it must not, built once.
    package static func taker() throws -> String { try builtTaker.get() }

    /// The plugin that breaks one rule, e.g. `"WRONG_MAJOR"`.
    package static func malformed(_ fault: String) throws -> String {
        try build(
            "malformed-\(fault.lowercased())", ["\(sources)/malformed/malformed.c"],
            ["-DFAULT_\(fault)"])
    }

    /// The plugin with a fault while it is loaded, e.g. `"crash"` in its `"ENTRY"`.
    ///
    /// - Parameters:
    ///   - name: The plugin's name.
    ///   - file: Its path; nil for the folder of the test plugins.
    package static func loading(
        _ action: String, in place: String, name: String = "Loading", as file: String? = nil
    ) throws -> String {
        let sources = ["\(sources)/malformed/loading.c"]
        let flags = ["-D_GNU_SOURCE", "-DIN_\(place)", "-DDO=\(action)", "-DNAME=\"\(name)\""]
        guard let file else {
            return try build("loading-\(place.lowercased())-\(action)", sources, flags)
        }
        try compile(sources, flags, into: file)
        return file
    }

    /// A library of the benchmarks, e.g. `"flood"`.
    package static func benchmark(_ name: String) throws -> String {
        try build(
            "benchmark-\(name)", ["\(Checkout.root)/Tests/Benchmarks/\(name).c"],
            ["-D_GNU_SOURCE", "-O2", "-Wno-pedantic"])
    }

    /// A shared library that is not a plugin.
    package static func notAPlugin() throws -> String {
        try build("not-a-plugin", ["\(sources)/malformed/not_a_plugin.c"])
    }

    /// A plugin that needs the missing `missing_library.so`.
    package static func needingMissingLibrary() throws -> String {
        let folder = try TemporaryFolder()
        let library = folder("missing_library.so")
        try compile(["\(sources)/malformed/missing_library.c"], [], into: library)
        // Linked by its bare name, which becomes the plugin's dependency.
        return try build(
            "needs-missing-library", ["\(sources)/malformed/needs_missing_library.c"],
            ["-L\(folder.path)", "-l:missing_library.so"])
    }

    package static let sources = Checkout.root + "/Tests/HostilePlugins"
    package static let folder = Checkout.products + "/test-plugins"
    package static let warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

    package static func hostileSources() throws -> [String] {
        [
            "hostile", "image", "well_behaved", "bad_senders", "bad_audio", "bad_timing",
            "bad_answers", "bad_filters", "real_frames", "real_audio", "clocked", "faults",
        ].map { "\(sources)/hostile/\($0).c" }
    }

    /// The faults in the text of `malformed.c`.
    package static func faults() throws -> [String] {
        let text = String(
            decoding: try readFile("\(sources)/malformed/malformed.c"), as: UTF8.self)
        let names = text.matches(of: #/defined\(FAULT_([A-Z0-9_]+)\)/#).map { String($0.1) }
        return Set(names).sorted()
    }

    private static let builtHostile = Result {
        try build("hostile", try hostileSources(), ["-D_GNU_SOURCE", "-pthread", "-lm"])
    }

    private static let builtTaker = Result {
        try build("taker", ["\(sources)/taker/taker.c"], ["-D_GNU_SOURCE"])
    }

    private static let builtHostileOfFirst = Result {
        // The compiler takes the first folder that has a header.
        try build(
            "hostile-1.0", try hostileSources(),
            ["-D_GNU_SOURCE", "-pthread", "-lm"], headers: firstInterface + "/include")
    }

    /// The headers as of interface 1.0.
    package static let firstInterface = Checkout.root + "/Tests/Interface1.0"

    private static let builtCCamera = Result {
        try build("c-camera", [Checkout.root + "/Samples/c-camera/camera.c"], ["-pthread"])
    }

    private static let builtBouncer = Result {
        try buildBroadcast(
            "bouncer", Checkout.root + "/Samples/ThirdPartyBroadcast/bouncer.c", ["-lm"])
    }

    private static let builtPeer = Result {
        try buildBroadcast("broadcaster", "\(sources)/broadcast/broadcaster.c")
    }

    /// Builds a program as the sample's README describes, against the library beside the products.
    private static func buildBroadcast(
        _ name: String, _ file: String, _ flags: [String] = []
    ) throws -> String {
        mkdir(folder, 0o777)
        let program = "\(folder)/\(name)"
        let run = try ChildProcess.run(
            "cc",
            ["-std=c11", "-O1", "-g", "-pthread", "-I", Checkout.include] + warnings
                + [
                    file, "-o", program, "-L", Checkout.products, "-lgreenroom-client",
                    "-Wl,-rpath,\(Checkout.products)",
                ] + flags)
        guard run.exit == .code(0) else { throw Failure("\(run)") }
        return program
    }

    private static let builtThrowing = Result {
        try buildCPlusPlus("throwing", from: "\(sources)/throws.cpp")
    }

    private static let builtZoomReceivers = Result {
        try buildCPlusPlus(
            "zoom-receivers",
            from: Checkout.root + "/Tests/VendorPlugins/zoom-receivers.cpp")
    }

    /// Builds a plugin in C++ that exports only its entry.
    private static func buildCPlusPlus(_ name: String, from file: String) throws -> String {
        mkdir(folder, 0o777)
        let library = "\(folder)/\(name).so"
        let run = try ChildProcess.run(
            "g++",
            ["-std=c++17", "-O1", "-g", "-shared", "-fPIC", "-pthread", "-fvisibility=hidden"]
                + warnings + ["-I", Checkout.include, file, "-o", library]
                + ["-Wl,--version-script=\(Checkout.root)/Plugins/exports.map"])
        guard run.exit == .code(0) else { throw Failure("\(run)") }
        return library
    }

    private static let builtFatal = Result {
        try buildSwift("fatal", from: "\(sources)/fatal/Fatal.swift", module: "Fatal")
    }

    private static let builtChanging = Result {
        try buildSwift("changing", from: "\(sources)/changing/Changing.swift", module: "Changing")
    }

    /// Builds a plugin in Swift into the folder.
    package static func buildSwift(_ name: String, from file: String, module: String) throws
        -> String
    {
        mkdir(folder, 0o777)
        let library = "\(folder)/\(name).so"
        try replace(library) { try compileSwift(file, module: module, into: $0) }
        return library
    }

    /// Builds a plugin in Swift from the package's modules and objects; a package of its own would
    /// take much longer.
    ///
    /// - Parameter flags: More for the compiler.
    package static func compileSwift(
        _ file: String, module: String, into library: String, _ flags: [String] = []
    ) throws {
        let objects = try sdkObjects()
        let run = try ChildProcess.run(
            "swiftc",
            swiftFlags(module) + [
                "-O", "-emit-library", file, "-o", library, "-Xlinker",
                "--version-script=\(Checkout.root)/Plugins/exports.map",
            ] + flags + objects)
        guard run.exit == .code(0) else { throw Failure("\(run)\n\(run.text)") }
    }

    /// The SDK, to link a plugin with.
    package static func sdkObjects() throws -> [String] {
        try ["GreenroomMedia", "GreenroomPlugin"].flatMap { module in
            let build = "\(Checkout.products)/\(module).build"
            return try FileManager.default.contentsOfDirectory(atPath: build)
                .filter { $0.hasSuffix(".o") }.map { "\(build)/\($0)" }
        }
    }

    /// Expects that a plugin in Swift compiles.
    package static func checkSwift(_ file: String, module: String) throws -> Finished {
        try ChildProcess.run(
            "swiftc", swiftFlags(module) + ["-typecheck", file])
    }

    private static func swiftFlags(_ module: String) -> [String] {
        [
            "-swift-version", "6", "-warnings-as-errors", "-parse-as-library", "-module-name",
            module, "-I", Checkout.products + "/Modules",
            "-I", Checkout.root + "/Sources/GreenroomABI",
        ]
    }

    /// Builds a plugin as the README of a stand-alone plugin describes.
    private static func build(
        _ name: String, _ files: [String], _ flags: [String] = [],
        headers include: String = Checkout.include
    ) throws -> String {
        mkdir(folder, 0o777)
        let library = "\(folder)/\(name).so"
        try replace(library, madeOf: try files + headers(beside: files), flags + [include]) {
            try compile(files, flags, headers: include, into: $0)
        }
        return library
    }

    /// Builds a file that another test may be loading: it gets its name when it is whole.
    ///
    /// - Parameter build: Creates the file at a path.
    package static func replace(_ file: String, build: (String) throws -> Void) throws {
        let unfinished = file + ".\(getpid()).\(UInt32.random(in: 0...UInt32.max))"
        try build(unfinished)
        guard rename(unfinished, file) == 0 else { throw Failure("can't rename \(unfinished)") }
    }

    /// Builds a file likewise, unless it was built from the same before. Tests that want the same file
    /// wait for the first: a file that is replaced between the sandbox's grant and the opening is
    /// another file, which nobody granted.
    ///
    /// - Parameters:
    ///   - sources: All files that it is made of, but for those of the compiler.
    ///   - flags: What else it depends on.
    ///   - build: Makes the file at a path.
    package static func replace(
        _ file: String, madeOf sources: [String], _ flags: [String],
        build: (String) throws -> Void
    ) throws {
        var digest = FNVDigest()
        for word in [#filePath] + flags { digest.add(Array(word.utf8)) }
        for source in sources { digest.add(try readFile(source)) }
        let key = Array("\(digest.value)".utf8)
        let keyFile = file + ".made-of"
        let lock = open(file + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        guard lock >= 0 else { throw Failure("can't open \(file).lock") }
        defer { close(lock) }
        guard flock(lock, LOCK_EX) == 0 else { throw Failure("can't lock \(file).lock") }
        if access(file, F_OK) == 0, (try? readFile(keyFile)) == key { return }
        // In this order: a file that has no key of its own is built anew.
        unlink(keyFile)
        try replace(file, build: build)
        try replace(keyFile) { try Data(key).write(to: URL(filePath: $0)) }
    }

    /// The interface's headers and those in the folders of some files.
    package static func headers(beside files: [String]) throws -> [String] {
        let folders = Set(files.map { String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) })
        return try (folders.sorted() + [Checkout.include + "/greenroom"]).flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                .filter { $0.hasSuffix(".h") }.map { "\(folder)/\($0)" }
        }
    }

    private static func compile(
        _ files: [String], _ flags: [String], headers include: String = Checkout.include,
        into library: String
    ) throws {
        let run = try ChildProcess.run(
            "cc",
            ["-std=c11", "-O1", "-g", "-shared", "-fPIC", "-I", include] + warnings
                + files + ["-o", library] + flags)
        guard run.exit == .code(0) else { throw Failure("\(run)") }
    }
}

/// The 64-bit digest of Fowler, Noll and Vo: tells apart files that are not forged.
private struct FNVDigest {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    package mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        // Where one ends counts, too.
        value = (value ^ UInt64(bytes.count)) &* 0x100_0000_01b3
    }
}
