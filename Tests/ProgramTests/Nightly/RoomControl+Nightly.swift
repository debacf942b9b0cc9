import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension RoomControlTests {
    @Test
    func
        `every HTTP answer forbids features that the room does not need, and hides the address of a link`()
        throws
    {
        let room = try Room()
        for (path, status) in [("/", 200), ("/room.js", 200), ("/room", 401), ("/none", 401)] {
            let answer = try room.ask(path, token: "", "-i")
            #expect(answer.status == status, "\(path): \(answer)")
            for header in [
                "Content-Security-Policy: default-src 'none'; script-src 'self'",
                "frame-ancestors 'none'", "Referrer-Policy: no-referrer",
                "X-Content-Type-Options: nosniff", "Cache-Control: no-store",
            ] {
                #expect(answer.text.contains(header), "\(path), \(header): \(answer)")
            }
        }
        _ = room.end()
    }

    @Test
    func `people join to listen, write, and follow the operator until the session ends`()
        throws
    {
        let room = try Room()
        func send(_ method: String, _ path: String, _ token: String, _ text: String = "") throws
            -> Answer
        {
            try room.ask(
                path, token: token, "-i", "-X", method, "-H", "Content-Type: text/plain",
                "--data-binary", text)
        }
        func seen(_ query: String, _ token: String) throws -> [String: Any] {
            try room.ask("/room?\(query)", token: token).object()
        }
        #expect(try send("POST", "/guests?name=Ana", room.viewer).status == 403)
        let joined = try send("POST", "/guests?name=Ana", room.guest)
        #expect(joined.status == 201, "\(joined)")
        let location = #/Location: /guests/([a-z0-9]+)/#
        let id = try String(#require(joined.text.firstMatch(of: location)?.1))
        let own = try seen("guest=\(id)", room.guest)
        let number = try #require(own["you"] as? Int, "\(own)")
        #expect(own["title"] as? String != nil && own["mutes"] as? Int == 0, "\(own)")
        let guest = try #require((own["guests"] as? [[String: Any]])?.first)
        #expect(guest["name"] as? String == "Ana" && guest["microphone"] as? Bool == false)

        // Messages.
        let said = try send("POST", "/messages?guest=\(id)", room.guest, "Hello <all>")
        #expect(said.status == 204, "\(said)")
        for (path, token, text, status) in [
            ("/messages", room.viewer, "a", 403), ("/messages", room.guest, "a", 403),
            ("/messages?guest=nobody", room.guest, "a", 403),
            ("/messages", room.operator, String(repeating: "x", count: 501), 400),
            ("/messages", room.operator, String(repeating: "x", count: 5000), 413),
            ("/messages", room.operator, "Five minutes left", 204),
        ] {
            let answer = try send("POST", path, token, text)
            #expect(answer.status == status, "\(path) \(text.prefix(9)): \(answer)")
        }
        let read = try seen("messages=0", room.viewer)
        let messages = try #require(read["messages"] as? [[String: Any]], "\(read)")
        #expect(messages.map { $0["text"] as? String } == ["Hello <all>", "Five minutes left"])
        #expect(messages.map { $0["name"] as? String } == ["Ana", "Operator"])
        #expect(messages.map { $0["participant"] as? Int } == [number, nil])
        #expect(try seen("messages=2", room.viewer)["messages"] as? [String] == [])
        var statuses: [Int] = []
        for _ in 0..<12 {
            statuses.append(try send("POST", "/messages?guest=\(id)", room.guest, "again").status)
        }
        #expect(statuses.first == 204 && statuses.contains(429), "\(statuses)")

        // The operator.
        let stream = try #require((read["streams"] as? [[String: Any]])?.first?["id"] as? Int)
        for (method, path, token, status) in [
            ("PUT", "/pin?stream=\(stream)", room.guest, 403),
            ("PUT", "/pin?stream=99", room.operator, 404),
            ("PUT", "/pin", room.operator, 400),
            ("PUT", "/pin?stream=\(stream)", room.operator, 204),
            ("PATCH", "/participants/\(number)?microphone=off", room.guest, 403),
            ("PATCH", "/participants/\(number)?microphone=on", room.operator, 400),
            ("PATCH", "/participants/99?microphone=off", room.operator, 404),
            ("PATCH", "/participants/\(number)?microphone=off", room.operator, 204),
        ] {
            let answer = try send(method, path, token)
            #expect(answer.status == status, "\(method) \(path): \(answer)")
        }
        let pinned = try seen("guest=\(id)", room.guest)
        #expect(pinned["pinned"] as? Int == stream && pinned["mutes"] as? Int == 1, "\(pinned)")
        #expect(try send("DELETE", "/pin", room.operator).status == 204)
        let removed = try send("DELETE", "/participants/\(number)?bar=name", room.operator)
        #expect(removed.status == 204, "\(removed)")
        let after = try seen("guest=\(id)", room.guest)
        #expect(after["removed"] as? Bool == true && after["you"] == nil, "\(after)")
        #expect(after["pinned"] == nil, "\(after)")
        let barred = try send("POST", "/guests?name=ANA", room.guest)
        #expect(barred.status == 403 && barred.text.contains("barred the name ANA"), "\(barred)")
        #expect(try send("POST", "/guests?name=Ben", room.guest).status == 201)

        // A page that waits learns of the end.
        var now = try seen("", room.viewer)
        while (now["guests"] as? [Any])?.isEmpty != false {
            now = try seen("after=\(try #require(now["revision"] as? Int))", room.viewer)
        }
        let revision = try #require(now["revision"] as? Int)
        let waiting = try ChildProcess(
            "curl",
            [
                "-sSv", "-m", "20", "-H", "Authorization: Bearer \(room.viewer)",
                room.url + "/room?after=\(revision)",
            ])
        #expect(waiting.waitForErrors(containing: "> GET /room"))
        #expect(try seen("", room.viewer)["ended"] == nil)
        _ = room.end()
        let last = waiting.wait()
        let text = String(decoding: last.standardOutput, as: UTF8.self)
        #expect(text.contains("\"ended\":true"), "\(last)")
    }

    @Test func `the picture, the report and the metrics show the session`() throws {
        let room = try Room(
            """
            camera: { plugin: ColorBars, settings: { ball: false, pattern: grey } }
            """, "--control")
        let still = try room.ask("/api/still/camera.jpg")
        #expect(still.status == 200 && still.body.starts(with: [0xff, 0xd8]), "\(still.status)")
        let grey = try Self.luma(of: still.body, in: room.session)
        let set = try room.ask("/api/command", command: "set camera.settings.pattern=bars")
        #expect(set.status == 200, "\(set)")
        // Frames from before the change may be on their way.
        var bars = grey
        let hasChanged = try waitUntil {
            let still = try room.ask("/api/still/camera.jpg")
            if still.status == 200 { bars = try Self.luma(of: still.body, in: room.session) }
            return zip(grey, bars).contains { abs($0 - $1) > 30 }
        }
        #expect(hasChanged, "\(bars)")
        // The luma of the colour bars in BT.601, in full range.
        for (bar, luma) in zip(bars, [191, 169, 134, 112, 79, 57, 22, 0]) {
            #expect(abs(bar - luma) <= 12, "\(bars)")
        }
        #expect(zip(grey, bars).contains { abs($0 - $1) > 30 }, "\(grey) \(bars)")
        let none = try room.ask("/api/still/share.jpg")
        #expect(none.status == 404, "\(none)")

        // A still of a watched track needs no more frames than its viewers do.
        let viewer = try ChildProcess(
            "/usr/bin/python3",
            [Checkout.root + "/Tests/WebRoom/peer.py", "take", room.url, room.viewer])
        defer { kill(viewer.id, SIGKILL) }
        let isWatched = #/greenroom_room_viewers\{[^}]*\} 1\n/#
        for _ in 0..<100 {
            if try room.ask("/metrics").text.contains(isWatched) { break }
            usleep(200_000)
        }
        #expect(try room.ask("/metrics").text.contains(isWatched))
        let watched = try room.ask("/api/still/camera.jpg")
        #expect(watched.status == 200, "\(watched)")
        let seen = try Self.luma(of: watched.body, in: room.session)
        #expect(zip(seen, bars).allSatisfy { abs($0 - $1) <= 12 }, "\(seen) \(bars)")

        let report = try room.ask("/api/report").object()
        #expect(report["outcome"] as? String == "running")
        #expect((report["seconds"] as? Double ?? -1) >= 0)

        let metrics = try room.ask("/metrics")
        #expect(metrics.status == 200, "\(metrics)")
        let pattern = #/greenroom_[a-z_]+(\{([a-z]+="[^"]*",?)+\})? -?[0-9.e+-]+/#
        for line in metrics.text.split(separator: "\n") where !line.hasPrefix("#") {
            #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
        }
        for name in [
            #",track="camera",state="accepted"} "#,
            #",role="camera",plugin="ColorBars",state="sending"} 1"#,
            "greenroom_room_viewers{",
        ] {
            #expect(metrics.text.contains(name), "\(metrics)")
        }
        _ = room.end()
    }

    @Test func `the event stream includes earlier events`() throws {
        let room = try Room("camera: { plugin: ColorBars }", "--control")
        let stream = try ChildProcess(
            "curl",
            [
                "-sSN", "-m", "30", "-H", "Authorization: Bearer \(room.operator)",
                room.url + "/api/events",
            ])
        #expect(stream.waitForOutput(containing: #""event":"started""#))
        let stop = try room.ask("/api/command", command: "stop camera")
        #expect(stop.status == 200, "\(stop)")
        #expect(
            stream.waitForOutput(
                containing: #""event":"commanded","level":"info","origin":"command 1 of call""#))
        // After the last one there is nothing yet.
        let later = try ChildProcess.run(
            "curl",
            [
                "-sSN", "-m", "2", "-H", "Authorization: Bearer \(room.operator)",
                room.url + "/api/events?after=100000",
            ])
        #expect(!later.text.contains("data:"), "\(later)")
        // The end of the session ends the stream.
        _ = room.end()
        #expect(stream.wait().exit != .killedAfter(.seconds(20)))
    }

    @Test func `without the control grant the operator cannot change the session`() throws {
        let room = try Room("camera: { plugin: ColorBars }")
        let answer = try room.ask("/api/command", command: "stop camera")
        #expect(answer.status == 403, "\(answer)")
        #expect(
            try #require(answer.object()["error"] as? String).contains("greenroom live --control"))
        #expect(try room.ask("/api/session").status == 403)
        #expect(try room.ask("/health", token: "").status == 200)
        let page = try room.ask("/room").object()
        #expect(page["control"] == nil && page["role"] as? String == "operator")
        _ = room.end()
    }

    @Test
    func `a room in the host's process obeys commands if the session file grants control`() throws {
        let room = try Room(
            """
            camera: { plugin: ColorBars }
            call: { plugin: WebRoom, isolation: host, allow: { control: true } }
            """)
        let set = try room.ask("/api/command", command: "ceiling 160x90@10")
        #expect(set.status == 200, "\(set)")
        #expect(try set.object()["text"] as? String == "camera: ceiling 160x90@10", "\(set)")
        #expect(try room.ask("/room").object()["control"] as? Bool == true)
        _ = room.end()
    }

    @Test func `the manual's curl lines work`() throws {
        let page = try Chapter.manual("room-api")
        let block = try #require(page.blocks.first { $0.text.contains("$ROOM") })
        #expect(block.text.contains("/api/command") && block.text.contains("/metrics"))
        let room = try Room("camera: { plugin: ColorBars }", "--control")
        let run = try ChildProcess.run(
            "bash", ["-euc", "cd '\(room.session.folder.path)'\n\(block.text)"],
            environment: ["ROOM": room.url, "TOKEN": room.operator])
        #expect(run.exit == .code(0), "\(run)\n\(run.text)")
        #expect(run.text.contains(#""status":"done""#), "\(run.text)")
        #expect(run.text.contains("greenroom_video_frames_total"), "\(run.text)")
        #expect(try readFile(room.session.folder("camera.jpg")).starts(with: [0xff, 0xd8]))
        _ = room.end()
    }

    /// The luma of the middle row of an image, at the middle of each of eight bars.
    private static func luma(of jpeg: [UInt8], in session: FileSession) throws -> [Int] {
        let file = session.folder("still.jpg")
        try Data(jpeg).write(to: URL(filePath: file))
        let run = try ChildProcess.run(
            "ffmpeg",
            [
                "-v", "error", "-i", file, "-vf", "scale=320:180", "-f", "rawvideo", "-pix_fmt",
                "gray", "-",
            ])
        let pixels = run.standardOutput
        guard pixels.count == 320 * 180 else { throw Failure("\(run)") }
        return (0..<8).map { Int(pixels[60 * 320 + 20 + $0 * 40]) }
    }
}
