import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Code as it exists already: tasks, timers and run loops in Swift, as the book shows them, and
/// plugins in Rust and Python. All isolated, as sessions run them.
@Suite(.ownThreads, .nightly) struct BroughtCodeTests {
    /// The plugins of the page `bring-code`, as they stand there, in one library.
    private static let page = Result {
        let blocks = try Chapter.book("bring-code").blocks.filter {
            $0.language == "swift" && $0.text.contains("static let plugin")
        }
        guard blocks.count == 2 else { throw Failure("the page has \(blocks.count) plugins") }
        let folder = try TemporaryFolder()
        let source = try folder.write(
            "Page.swift",
            """
            \(blocks.map(\.text).joined(separator: "\n"))

            @c(greenroom_plugin_entry)
            public func greenroomPluginEntry() -> UnsafeRawPointer? {
                exportPlugins(TaskMicrophone.self, TimerCamera.self)
            }

            """)
        return try TestPlugins.buildSwift("brought-code", from: source, module: "BroughtCode")
    }

    @Test func `a task that only sends and a timer on a run loop send, stop and start again`()
        throws
    {
        let library = try Self.page.get()
        let session = try TestSession(
            """
            camera: { plugin: "\(library)#TimerCamera" }
            microphone: { plugin: "\(library)#TaskMicrophone" }
            """,
            maximum: "640x360@30", duration: "3s",
            timeline: [
                "at: 1s, do: mute", "at: 1s, do: stop camera", "at: 1500ms, do: unmute",
                "at: 1500ms, do: start camera",
            ], isolation: "process")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.report()
        for role in ["camera", "microphone"] {
            #expect(try report.plugin(role).losses?.isEmpty ?? true, "\(run)")
        }
        // The host paces the loop: nothing finds the queue full, and no sound is too much.
        let sound = try report.sound("microphone")
        #expect(sound.refused.keys.allSatisfy { $0 == "STOPPED" }, "\(sound)")
        #expect(sound.accepted > 150 && sound.accepted < 320, "\(sound)")
        #expect(try report.picture("camera").accepted > 25, "\(run)")
    }

    @Test func `a task and a timer keep the rules`() throws {
        let validation = try Greenroom.validate(
            try Self.page.get(),
            [
                "--only",
                "load,lifecycle.whole-life,lifecycle.restart,lifecycle.joins,"
                    + "lifecycle.start-returns,lifecycle.dead-sender,audio.back-pressure,"
                    + "audio.sample-count,video.rate",
            ])
        #expect(validation.checks.count > 20)
        #expect(validation.faults.isEmpty, "\(validation)")
    }

    // MARK: Other languages

    /// Builds a plugin of `Samples` with a compiler, and validates it: by day what a language's
    /// runtime can break, which is its loading and its life.
    ///
    /// - Parameter resources: Files of `camera.resources`, by name.
    private func validate(
        _ sample: String, _ compiler: String, _ arguments: [String],
        resources: [String: String] = [:], granting grants: [String] = [],
        allowing warned: Set<String> = []
    ) throws {
        let folder = try TemporaryFolder()
        let source = "\(Checkout.root)/Samples/\(sample)"
        let library = folder("camera.so")
        let build = try ChildProcess.run(
            compiler, ["-o", library] + arguments.map { $0.replacing("SAMPLE", with: source) })
        guard build.exit == .code(0), build.standardError.isEmpty else {
            throw Failure("\(build)")
        }
        for (name, text) in resources {
            mkdir(folder("camera.resources"), 0o755)
            try folder.write("camera.resources/\(name)", text)
        }
        let validation = try Greenroom.validate(
            library,
            (Nightly.isOn ? [] : ["--only", "load,lifecycle,video.content"])
                + grants.flatMap { ["--allow-read", $0] })
        #expect(validation.checks.count > Nightly.value(40, byDay: 20))
        #expect(validation.faults.isEmpty, "\(validation)")
        #expect(warned.isSuperset(of: validation.warnings.map(\.check)), "\(validation)")
    }

    private static func has(_ program: String) -> Bool {
        (try? ChildProcess.run("sh", ["-c", "command -v \(program)"]).exit) == .code(0)
    }

    @Test(
        .enabled(if: has("rustc"), "rustc is not installed: apt-get install rustc"),
        .enabled(if: Nightly.isOn, "at night, when rustc is installed"))
    func `a camera in Rust passes the validator`() throws {
        try validate(
            "rust-camera", "rustc",
            ["--edition", "2021", "-O", "-D", "warnings", "--crate-type", "cdylib"]
                + ["SAMPLE/camera.rs"])
    }

    @Test(.enabled(if: has("rustc"), "rustc is not installed: apt-get install rustc"))
    func `a panic on the thread that sends ends the camera with its text`() throws {
        let folder = try TemporaryFolder()
        let source = "\(Checkout.root)/Samples/rust-camera"
        for file in ["camera.rs", "greenroom.rs"] {
            let text = String(decoding: try readFile("\(source)/\(file)"), as: UTF8.self)
            try folder.write(
                file,
                text.replacing(
                    "        let speed = shared",
                    with: "        if number > 10 { panic!(\"the lens fell off at {number}\"); }\n"
                        + "        let speed = shared"))
        }
        let build = try ChildProcess.run(
            "rustc",
            [
                "--edition", "2021", "--crate-type", "cdylib", folder("camera.rs"), "-o",
                folder("camera.so"),
            ])
        guard build.exit == .code(0) else { throw Failure("\(build)") }
        let session = try TestSession(
            """
            camera: { plugin: "\(folder("camera.so"))", on-failure: "off" }
            share: { plugin: ColorBarsShare }
            """, maximum: "320x180@15", duration: "2s", isolation: "process")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("the lens fell off at 11"), "\(run)")
        #expect(
            try session.report().plugin("camera").gaveUp == "FAILED: the lens fell off at 11",
            "\(run)")
    }

    /// The stripes of the sample with NumPy and another extension module.
    private static let drawing = """
        import ctypes
        import numpy as np


        def draw(width, height, seconds, speed):
            assert ctypes.sizeof(ctypes.c_int64) == 8
            shift = int(seconds * speed)
            luma = (np.arange(width) + np.arange(height)[:, None] + shift) % 220 + 16
            chroma = (width + 1) // 2 * ((height + 1) // 2)
            return luma.astype(np.uint8).tobytes() + bytes([160]) * chroma + bytes([110]) * chroma

        """

    private static let hasPython = ConditionTrait.enabled(
        if: has("/usr/bin/python3-config")
            && (try? ChildProcess.run("/usr/bin/python3", ["-c", "import numpy"]).exit) == .code(0),
        "Python is not installed: apt-get install python3-dev python3-numpy")

    /// Arguments of the compiler for a file.
    ///
    /// - Parameter prefix: A prefix with libpython; nil for the system's.
    private static func python(_ shim: String, in prefix: String? = nil) throws -> [String] {
        func flags(_ words: String...) throws -> [String] {
            try ChildProcess.run("/usr/bin/python3-config", words).text
                .split { $0.isWhitespace }.map(String.init)
        }
        let own = prefix.map { ["-L\($0)/lib", "-Wl,-rpath,\($0)/lib"] } ?? []
        return ["-std=c11", "-O2", "-shared", "-fPIC", "-pthread", "-I", Checkout.include]
            + TestPlugins.warnings + (try flags("--includes")) + [shim] + own
            + (try flags("--embed", "--ldflags"))
    }

    @Test(hasPython) func `a camera in Python that uses NumPy passes the validator`() throws {
        try validate(
            "python-camera", "cc", Self.python("SAMPLE/shim.c"),
            resources: ["drawing.py": Self.drawing], allowing: ["load.dependencies"])
    }

    /// A Python whose library lies in another folder, as one in `/opt` does.
    @Test(hasPython) func `a camera uses the Python that it is linked with`() throws {
        // An rpath in a folder that everybody may write to, as /tmp is, would be a fault.
        let prefix = Checkout.products + "/other-python"
        try? FileManager.default.removeItem(atPath: prefix)
        let facts = try ChildProcess.run(
            "/usr/bin/python3",
            [
                "-c",
                "import sysconfig as s; print(s.get_config_var('LIBDIR'), "
                    + "s.get_config_var('INSTSONAME'), s.get_path('stdlib'))",
            ]
        ).text.split { $0.isWhitespace }.map(String.init)
        let (folder, library, modules) = (facts[0], facts[1], facts[2])
        try FileManager.default.createDirectory(
            atPath: prefix + "/lib", withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: "\(folder)/\(library)", toPath: "\(prefix)/lib/\(library)")
        let short = library.prefix(upTo: library.range(of: ".so")?.upperBound ?? library.endIndex)
        for (name, target) in [
            ("lib/\(short)", "\(prefix)/lib/\(library)"), ("lib/python3", "/usr/lib/python3"),
            ("lib/" + (modules.split(separator: "/").last ?? ""), modules),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(prefix)/\(name)", withDestinationPath: target)
        }
        let named = Self.drawing.replacing(
            "import ctypes",
            with: "import ctypes, sys\nassert sys.prefix == '\(prefix)', sys.prefix")
        try validate(
            "python-camera", "cc", Self.python("SAMPLE/shim.c", in: prefix),
            resources: ["drawing.py": named], granting: [prefix],
            allowing: ["load.dependencies", "robustness.ungranted"])
    }

    @Test(hasPython) func `a long error keeps its begin and its last line`() throws {
        let folder = try TemporaryFolder()
        let build = try ChildProcess.run(
            "cc",
            ["-o", folder("camera.so")]
                + Self.python("\(Checkout.root)/Samples/python-camera/shim.c"))
        #expect(build.exit == .code(0), "\(build)")
        mkdir(folder("camera.resources"), 0o755)
        try folder.write(
            "camera.resources/drawing.py",
            "raise ImportError('first ' + 'ä' * 900 + '\\nthe cause is ö\\n\\n')\n")
        let session = try TestSession(
            """
            camera: { plugin: "\(folder("camera.so"))", on-failure: "off" }
            share: { plugin: ColorBarsShare }
            """, maximum: "320x180@15", duration: "1s", isolation: "process")
        let run = try session.run()
        let reason = try session.report().plugin("camera").gaveUp ?? ""
        #expect(reason.hasPrefix("UNAVAILABLE: drawing.py: first ää"), "\(run)")
        #expect(reason.hasSuffix("ä ... the cause is ö"), "\(reason)")
    }
}
