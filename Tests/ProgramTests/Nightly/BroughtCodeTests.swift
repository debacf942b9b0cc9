import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Code as it exists already: tasks, timers and run loops in Swift, as the book shows them, and
/// plugins in Rust and Python. All isolated, as sessions run them.
@Suite(.ownThreads) struct BroughtCodeTests {
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
        let session = try FileSession(
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

    @Test func `plugins that send from a task and a timer pass the validator`() throws {
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
    private func validate(
        _ sample: String, _ compiler: String, _ arguments: [String],
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
        let validation = try Greenroom.validate(
            library,
            Nightly.isOn ? [] : ["--only", "load,lifecycle,video.content"])
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
        let session = try FileSession(
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
}
