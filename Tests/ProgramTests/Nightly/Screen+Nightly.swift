import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension ScreenTests {
    @Test(arguments: [false, true])
    func `a window is shared while it moves, is covered, resized, hidden, closed and opened again`(
        isIsolated: Bool
    ) throws {
        let server = try XServer()
        let window = try server.window("Counter")
        try window.obey("draw 4660")
        let stream = try FrameStream(
            Self.arguments(isIsolated: isIsolated, "window=demo"), environment: server.environment)
        #expect(stream.width == 400 && stream.height == 300)
        func expect(_ number: Int, scale: Double = 1) throws {
            try stream.next("the number \(number)") {
                TestWindow.number(in: $0, scale: scale) == number
            }
        }
        try expect(4660)
        try window.obey("move 300 200")
        try window.obey("draw 22136")
        try expect(22136)
        let cover = try server.window("Cover", class: "Other", at: (280, 180), size: (600, 400))
        try cover.obey("draw 777")
        try window.obey("draw 1234")
        try expect(1234)
        try window.obey("resize 800 600")
        try window.obey("draw 43981")
        try expect(43981, scale: 0.5)
        try window.obey("hide")
        try stream.next("a slate") { $0.isSlate }
        try window.obey("show")
        try window.obey("draw 5")
        try expect(5, scale: 0.5)
        try window.obey("close")
        try stream.next("a slate") { $0.isSlate }
        try window.obey("open")
        try window.obey("draw 6")
        try expect(6, scale: 0.5)
        let run = stream.end()
        let lines = run.text.split(separator: "\n").filter { $0.hasPrefix("share: ") }
        #expect(
            lines == [
                "share: warning: the window is hidden; the share continues when it is shown",
                "share: the share continues",
                "share: warning: the window is closed; the share continues with a window that is \"demo\"",
                "share: the share continues",
            ], "\(run)\n\(run.text)")
        let process = isIsolated ? "a separate process" : "the host's process"
        #expect(run.text.contains("Screen 1.0.0, a share source, in \(process)"))
    }

    @Test func `a monitor and a region are shared, also when the monitors change`() throws {
        let server = try XServer()
        try server.xrandr("--setmonitor", "left", "640/169x720/190+0+0", "screen")
        try server.xrandr("--setmonitor", "right", "640/169x720/190+640+0", "none")
        let window = try server.window("Counter", at: (700, 50))
        try window.obey("draw 51966")
        let monitor = try FrameStream(
            Self.arguments(isIsolated: false, "monitor=right"), environment: server.environment)
        #expect(monitor.width == 640 && monitor.height == 720)
        try monitor.next("the number") { TestWindow.number(in: $0, at: (61, 51)) == 51966 }
        try server.xrandr("--delmonitor", "right")
        try monitor.next("a slate") { $0.isSlate }
        // In another place.
        try server.xrandr("--setmonitor", "right", "640/169x720/190+600+0", "none")
        try monitor.next("the number") { TestWindow.number(in: $0, at: (101, 51)) == 51966 }
        _ = monitor.end()

        let region = try FrameStream(
            Self.arguments(isIsolated: false, "region=320x181+690+41"),
            environment: server.environment)
        #expect(region.width == 320 && region.height == 180)
        try region.next("the number") { TestWindow.number(in: $0, at: (11, 10)) == 51966 }
        _ = region.end()
    }

    @Test func `the cursor is drawn where it is, and removed where it was`() throws {
        let server = try XServer()
        let window = try server.window("Counter", at: (600, 300))
        try window.obey("point 200 200")
        let stream = try FrameStream(
            Self.arguments(isIsolated: false), environment: server.environment)
        func hasCursor(_ frame: StreamFrame, _ x: Int, _ y: Int) -> Bool {
            (x - 12..<x + 12).contains { column in
                (y - 12..<y + 12).contains { frame.luma(column, $0) > 120 }
            }
        }
        try stream.next("a cursor") { hasCursor($0, 200, 200) }
        try window.obey("point 300 400")
        let moved = try stream.next("a cursor elsewhere") { hasCursor($0, 300, 400) }
        #expect(!hasCursor(moved, 200, 200))
        _ = stream.end()
        let without = try FrameStream(
            Self.arguments(isIsolated: false, "cursor=false"), environment: server.environment)
        try window.obey("draw 9")
        let frame = try without.next("the number") {
            TestWindow.number(in: $0, at: (601, 301)) == 9
        }
        #expect(!hasCursor(frame, 300, 400))
        _ = without.end()
    }

    @Test func `the share continues with a server that was started again`() throws {
        let server = try XServer(isRestarted: true)
        let first = try server.window("Counter")
        try first.obey("draw 1")
        let stream = try FrameStream(
            Self.arguments(isIsolated: true), environment: server.environment)
        try stream.next("the number") { TestWindow.number(in: $0, at: (101, 81)) == 1 }
        server.kill()
        try stream.next("a slate") { $0.isSlate }
        try server.restart()
        let second = try server.window("Again")
        try second.obey("draw 2")
        try stream.next("the number") { TestWindow.number(in: $0, at: (101, 81)) == 2 }
        let run = stream.end()
        #expect(
            run.text.contains(
                "share: warning: the X server closed the connection; retrying every second")
        )
    }

    @Test func `a still screen is sent twice a second`() throws {
        let server = try XServer()
        let run = try Greenroom.run(
            "preview", "Screen", "--duration", "2s", environment: server.environment)
        #expect(run.exit == .code(0), "\(run)")
        let sent = try #require(run.text.firstMatch(of: #/sent ([0-9]+), accepted/#))
        #expect((1...6).contains(Int(sent.1) ?? 0), "\(run.text)")
    }

    @Test func `a display that requires a key gets the key from the host`() throws {
        let folder = try TemporaryFolder()
        let keys = folder("keys")
        let key = String(repeating: "5a", count: 16)
        func add(_ key: String, to file: String, _ display: String) throws {
            let run = try ChildProcess.run(
                "xauth", ["-f", file, "add", display, "MIT-MAGIC-COOKIE-1", key])
            guard run.exit == .code(0) else { throw Failure("\(run)") }
        }
        try add(key, to: keys, ":0")
        let server = try XServer(keys: keys)
        let own = folder("own")
        try add(key, to: own, server.display)
        func preview(_ file: String?) throws -> Finished {
            var environment = server.environment
            environment["XAUTHORITY"] = file
            environment["HOME"] = folder.path
            return try Greenroom.run(
                "preview", "Screen", "--allow-display", "--duration", "1s",
                environment: environment)
        }
        let opened = try preview(own)
        #expect(opened.exit == .code(0), "\(opened)")
        // It is started again, in vain.
        let refused = try preview(nil)
        #expect(refused.exit == .code(66), "\(refused)")
        #expect("\(refused)\(refused.text)".contains("the connection is refused; set XAUTHORITY"))
    }

    @Test func `the commands of the manual's page work`() throws {
        let server = try XServer()
        let window = try server.window("Slides - Viewer", class: "viewer")
        let page = try Chapter.manual(DocumentedCommandTests.pageOfScreens)
        let commands = page.blocks.filter { $0.language == "sh" }.map(\.text)
        #expect(commands.count == 2)
        let folder = try TemporaryFolder()
        let environment = server.environment.merging([
            "PATH": "\(Checkout.products):/usr/bin:/bin"
        ]) { $1 }
        let run = try ChildProcess.run(
            "sh", ["-euc", "cd '\(folder.path)'\n" + commands.joined(separator: "\n")],
            environment: environment)
        #expect(run.exit == .code(0) && folder.has("screen.png"), "\(run)")
        let lines = run.text.split(separator: "\n")
        #expect(lines.contains("monitor screen, 1280x720 at 0,0"), "\(run.text)")
        #expect(lines.contains("window \(window.id), 400x300: Slides - Viewer (viewer)"))
        let session = "  share: { plugin: Screen, settings: { window: \"Slides - Viewer\" } }"
        #expect(lines.contains { $0 == session })
        let json = try Greenroom.run("devices", "--json", environment: server.environment)
        #expect(json.text.contains("\"title\": \"Slides - Viewer\""), "\(json.text)")
    }

    @Test(arguments: [false, true])
    func `the desktop's dialog is asked on Wayland, and its choice is kept`(
        isIsolated: Bool
    ) throws {
        let server = try PipeWireServer()
        let (screen, portal) = try Self.portal(server, answering: "yes")
        let folder = try TemporaryFolder()
        let token = try folder.write("token", "")
        let bus = server.bus.dropFirst("unix:path=".count).prefix { $0 != "," }
        let grants = [
            "--allow-connect", String(bus), "--allow-pipewire", "--allow-write", token,
        ]
        for _ in 0..<2 {
            let stream = try FrameStream(
                ["Screen", "--set", "token=\(token)"] + (isIsolated ? grants : []),
                environment: Self.environment(server))
            try stream.next("the shared screen") {
                abs($0.luma($0.width / 2, $0.height / 4) - TestWindow.ground) < 12
            }
            portal.signal(SIGUSR1)
            let run = stream.program.wait()
            #expect(run.text.contains("share: choose what to share in the desktop's dialog"))
            #expect(
                "\(run)\(run.text)".contains("the desktop ended the share"), "\(run)\(run.text)"
            )
        }
        #expect(try readFile(token) == Array("token-7".utf8))
        let asked = portal.outputSoFar.split(separator: "\n").filter { $0.hasPrefix("types") }
        #expect(
            asked == [
                "types=3 cursor_mode=2 persist_mode=2",
                "types=3 cursor_mode=2 persist_mode=2 restore_token=token-7",
            ])
        _ = screen.wait(atMost: .zero)
        _ = portal.wait(atMost: .zero)
    }

    @Test func `a share that the user refuses ends, with the reason`() throws {
        let server = try PipeWireServer()
        let (screen, portal) = try Self.portal(server, answering: "no")
        let run = try Greenroom.run(
            "preview", "Screen", "--duration", "60s", environment: Self.environment(server))
        #expect(
            "\(run)\(run.text)".contains("the user denied the share in the desktop's dialog"),
            "\(run)\(run.text)")
        _ = screen.wait(atMost: .zero)
        _ = portal.wait(atMost: .zero)
    }

    @Test(arguments: [false, true])
    func `the share has the audio of one program, even if it starts later, or of all programs`(
        isIsolated: Bool
    ) throws {
        let server = try PipeWireServer()
        func play(_ hertz: Int, as name: String) throws -> ChildProcess {
            try server.start(
                "gst-launch-1.0",
                [
                    "-q", "audiotestsrc", "is-live=true", "freq=\(hertz)", "volume=0.3", "!",
                    "audio/x-raw,rate=48000,channels=2", "!", "pulsesink", "client-name=\(name)",
                ])
        }
        let process = isIsolated ? ", isolation: process, allow: { pipewire: true }" : ""
        /// Records until two seconds more have come than there were when a program played.
        func record(
            _ settings: String, while begin: () throws -> Void
        ) throws -> (low: Double, high: Double) {
            let session = try FileSession(
                """
                share:
                  plugin: ColorBarsShare
                  audio: { plugin: ScreenShareAudio, settings: { \(settings) }\(process) }
                """, maximum: "320x180@15", duration: nil, outputs: "[{ record: recording }]")
            let run = try server.greenroom(session)
            try server.waitForNode("Greenroom share")
            try begin()
            let file = session.folder("recording/share.wav")
            func size() throws -> Int {
                try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
            }
            let played = try size()
            while try size() < played + 2 * 96_000 { usleep(20_000) }
            run.signal(SIGINT)
            let finished = run.wait()
            #expect(finished.exit == .code(130), "\(finished)")
            let tail = try WAVRecording(file).channels[0].suffix(48_000 / 2)
            return (
                Tone.amplitude(of: 440, in: tail, rate: 48_000),
                Tone.amplitude(of: 1000, in: tail, rate: 48_000)
            )
        }
        let other = try play(1000, as: "Other")
        var music: ChildProcess?
        let alone = try record("program: music") {
            music = try play(440, as: "Music Box")
            try server.waitForLink(from: "Music Box", to: "Greenroom share")
        }
        #expect(alone.low > 3_000 && alone.high < alone.low / 50, "\(alone)")
        let both = try record("channels: 1") {
            try server.waitForLink(from: "Music Box", to: "Greenroom share")
            try server.waitForLink(from: "Other", to: "Greenroom share")
        }
        #expect(both.low > 3_000 && both.high > 3_000, "\(both)")
        _ = music?.wait(atMost: .zero)
        _ = other.wait(atMost: .zero)
    }

    /// Starts a node of PipeWire, 800x450 in the color of the windows, and a portal that shares it.
    private static func portal(
        _ server: PipeWireServer, answering answer: String
    ) throws -> (screen: ChildProcess, portal: ChildProcess) {
        let screen = try server.start(
            "gst-launch-1.0",
            [
                "-q", "videotestsrc", "is-live=true", "pattern=solid-color",
                "foreground-color=0xff2040c0", "!",
                "video/x-raw,format=BGRx,width=800,height=450,framerate=30/1", "!",
                "pipewiresink", "mode=provide",
                "stream-properties=props,media.class=Video/Source,node.name=fake-screen",
            ])
        try server.waitForNode("fake-screen")
        let portal = try ChildProcess(
            "/usr/bin/python3",
            [
                "\(Checkout.root)/Tests/Screens/portal.py", try server.id(ofNode: "fake-screen"),
                answer,
            ], environment: environment(server))
        guard portal.waitForOutput(containing: "ready") else {
            throw Failure("the portal does not start: \(portal.wait(atMost: .zero))")
        }
        return (screen, portal)
    }
}
