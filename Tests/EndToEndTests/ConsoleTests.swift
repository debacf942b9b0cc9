import Foundation
import Testing
import TestSupport

/// What `greenroom run` shows while it runs: to people, elsewhere, and to programs.
@Suite struct ConsoleTests {
    private func session(_ duration: String = "1s") throws -> TestSession {
        try TestSession(
            """
            camera: \(TestSession.bundled("ColorBars"))
            microphone: \(TestSession.bundled("Tone"))
            """, duration: duration)
    }

    @Test func `without a terminal there are plain lines`() throws {
        let session = try session("500ms")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardOutput.isEmpty, "\(run)")
        #expect(!run.standardError.contains("\r") && !run.standardError.contains("\u{1B}"))
        let lines = run.standardError.split(separator: "\n").map(String.init)
        #expect(lines.first == "camera: 320x180@15, as suggested", "\(run)")
        #expect(lines.contains("sending") && lines.contains("stopping: the duration is over"))
        #expect(lines.last == "recorded in \(session.recording), with session.json", "\(run)")
    }

    @Test func `a terminal has one line that lives`() throws {
        let session = try session("2s")
        // `script` runs it on a terminal of its own.
        let command = "'\(Checkout.greenroom)' run '\(session.file)'"
        let run = try ChildProcess.run(
            "script", ["--quiet", "--return", "--command", command, "/dev/null"],
            environment: ["GREENROOM_PLUGIN_PATH": nil])
        #expect(run.exit == .code(0), "\(run)\n\(run.text)")
        // Each status takes the place of the one before it.
        let statuses = run.text.components(separatedBy: "\r\u{1B}[K").dropFirst()
        let status = #/^sending ([0-9]+:[0-9]{2})  camera ([0-9.]+) fps, ([0-9]+) dropped/#
        let matches = statuses.compactMap { $0.firstMatch(of: status) }
        #expect(matches.count >= 3, "\(run.text)")
        // Two seconds and the stop; a busy machine may take longer over the stop.
        #expect(matches.last.map { $0.1 >= "0:01" } == true, "\(run.text)")
        #expect(matches.map(\.1) == matches.map(\.1).sorted(), "\(run.text)")
        let rates = matches.compactMap { Double($0.2) }
        #expect(rates.contains { $0 > 5 && $0 < 30 }, "about 15 frames a second: \(rates)")
        // Whole lines are not mixed with it.
        let plain = run.text.replacing("\r\u{1B}[K", with: "\n").split(whereSeparator: \.isNewline)
        #expect(plain.contains("stopping: the duration is over"), "\(run.text)")
    }

    /// An event, as a program reads it.
    private struct Event: Decodable {
        struct Picture: Decodable {
            var track: String
            var accepted: Int
            var refused: Int
            var dropped: Int
            var fps: Double
        }

        var event: String
        var time: Double?
        var role: String?
        var level: String?
        var status: String?
        var step: String?
        var seconds: Double?
        var capability: String?
        var answer: String?
        var text: String?
        var pictures: [Picture]?
    }

    private func events(_ text: String) throws -> [Event] {
        try text.split(separator: "\n").map { line in
            try JSONDecoder().decode(Event.self, from: Data(line.utf8))
        }
    }

    @Test func `events are JSON, one object a line`() throws {
        let run = try session("2500ms").run("--json")
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.isEmpty, "\(run)")
        let events = try events(run.text)
        let names = events.map(\.event)
        #expect(names.first == "agreed" && names.last == "ended", "\(names)")
        let order = ["agreed", "started", "status", "stopping", "ended"]
        #expect(order.compactMap { names.firstIndex(of: $0) }.count == order.count, "\(names)")
        let places = order.compactMap { names.firstIndex(of: $0) }
        #expect(places == places.sorted(), "\(names)")
        #expect(events[0].role == "camera" && events[0].capability == "320x180@15")
        let status = try #require(events.last { $0.event == "status" }?.pictures?.first)
        #expect(status.track == "camera" && status.accepted > 0 && status.refused == 0)
        #expect(status.fps > 5 && status.fps < 30, "about 15")
        let times = events.filter { $0.event != "status" }.compactMap(\.time)
        #expect(times.count == names.filter { $0 != "status" }.count && times == times.sorted())
    }

    @Test func `failures are events, too`() throws {
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile("GivesUp", "frames: 1", "on-failure: continue"))
            share: \(try TestSession.hostile(
                "HangShare", "where: initialize", "on-failure: continue"))
            microphone: \(try TestSession.hostile("Mic"))
            """, deadline: "300ms")
        let run = try session.run("--json")
        #expect(run.exit == .code(0), "\(run)")
        let events = try events(run.text)
        let gaveUp = try #require(events.first { $0.event == "plugin-gave-up" })
        #expect(gaveUp.role == "camera" && gaveUp.status == "UNAVAILABLE")
        #expect(gaveUp.text == "the camera was unplugged")
        let hangs = try #require(events.first { $0.event == "callback-hangs" })
        #expect(hangs.role == "share" && hangs.step == "initialize")
        // The deadline runs from before its thread has begun.
        #expect((hangs.seconds ?? 0) > 0.15)
        let dropped = events.filter { $0.event == "plugin-dropped" }.compactMap(\.role)
        #expect(Set(dropped) == ["camera", "share"])
        let log = try #require(events.first { $0.event == "log" && $0.role == "microphone" })
        #expect(log.level == "info" && log.text?.hasPrefix("status good-block 0") == true)
    }

    @Test func `the command line has the last word`() throws {
        let run = try session("1h").run(
            "--duration", "400ms", "--set", "session.maximum=640x360@10", "--set",
            "camera.settings.pattern=grey", "--set", "camera.settings.counter=false", "--json")
        #expect(run.exit == .code(0), "\(run)")
        #expect(try events(run.text).first?.capability == "640x360@10")
    }

    @Test func `a setting on the command line is seen in the picture`() throws {
        let session = try session("400ms")
        let run = try session.run("--set", "camera.settings={pattern: grey, counter: false}")
        #expect(run.exit == .code(0), "\(run)")
        let frame = try session.picture("camera").frame(3)
        // Stripes from 100 to 250 of 255, without colour.
        let (top, bottom) = (frame[300, 2], frame[300, 177])
        #expect(top.isNear(YUV(y: 102, u: 128, v: 128), within: 2), "\(top)")
        #expect(bottom.isNear(YUV(y: 231, u: 128, v: 128), within: 2), "\(bottom)")
    }

    @Test func `every fault of a file is told at once, with its place`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "s.yaml",
            """
            session: { duration: ten, maximun: 1280x720 }
            camera:
              plugin: ColorBars
              settings: { pattern: bars, pattern: grey }
              on-failure: perhaps
            microphone: {}
            outputs: [{ recrod: here }, { y4m: file.y4m }]
            """)
        for command in ["check", "run"] {
            let run = try Greenroom.run(command, file)
            #expect(run.exit == .code(65), "\(run)")
            for place in [
                "1:22: session.duration", "1:27: session.maximun", "4:30: ", "5:15: camera",
                "6:13: microphone", "7:13: outputs[0].recrod", "7:36: outputs[1]",
            ] {
                #expect(run.standardError.contains("\(file):\(place)"), "\(place):\n\(run)")
            }
            #expect(run.standardError.contains("maximum"), "the nearest known key:\n\(run)")
        }
    }
}
