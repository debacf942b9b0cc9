import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests what operators and programs do over HTTP with a session that allows it.
@Suite(.ownThreads(.heavy)) struct RoomControlTests {
    /// An answer of the room.
    private struct Answer: CustomStringConvertible {
        var status: Int
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var description: String { "\(status): \(text.prefix(2000))" }

        func object() throws -> [String: Any] {
            try #require(
                JSONSerialization.jsonObject(with: Data(body)) as? [String: Any], "\(self)")
        }
    }

    /// A session in a room.
    private struct Room {
        let session: TestSession
        let run: ChildProcess
        let url: String
        let viewer: String
        let guest: String
        let `operator`: String

        init(
            _ sources: String = """
            camera: { plugin: ColorBars, settings: { ball: false } }
            microphone: { plugin: Tone, settings: { frequency: 440 } }
            """, _ arguments: String...
        ) throws {
            session = try TestSession(sources, duration: nil, deadline: "20s", isolation: nil)
            run = try Greenroom.start(["live", session.file] + arguments)
            guard run.waitForErrors(containing: "operators: http") else {
                throw Failure("\(run.wait(atMost: .zero))")
            }
            let links = run.errorsSoFar.split(separator: "\n").compactMap {
                line -> (String, String)? in
                guard let start = line.range(of: "http://"), line.contains("#") else { return nil }
                let parts = line[start.lowerBound...].split(separator: "#")
                return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
            }
            guard links.count == 3 else { throw Failure(run.errorsSoFar) }
            url = String(links[0].0.dropLast())
            (viewer, guest, `operator`) = (links[0].1, links[1].1, links[2].1)
        }

        /// Makes a request with curl.
        ///
        /// - Parameter token: nil for the operator's token.
        func ask(
            _ path: String, command: String? = nil, token: String? = nil, _ more: String...
        ) throws -> Answer {
            var arguments = ["-sS", "-m", "20", "-w", "\n%{http_code}"] + more
            let token = token ?? `operator`
            if !token.isEmpty { arguments += ["-H", "Authorization: Bearer \(token)"] }
            if let command {
                let body = try JSONSerialization.data(withJSONObject: ["command": command])
                arguments += [
                    "-H", "Content-Type: application/json", "-d",
                    String(decoding: body, as: UTF8.self),
                ]
            }
            let run = try ChildProcess.run("curl", arguments + [url + path])
            let lines = run.standardOutput.lastIndex(of: UInt8(ascii: "\n"))
            let end = try #require(lines, "\(run)")
            let status = String(decoding: run.standardOutput[(end + 1)...], as: UTF8.self)
            return Answer(
                status: try #require(Int(status), "\(run)"),
                body: Array(run.standardOutput[..<end]))
        }

        /// A live setting of a plugin.
        func setting(_ name: String, of role: String) throws -> Any? {
            let plugins = try ask("/api/session").object()["plugins"] as? [[String: Any]]
            let plugin = plugins?.first { $0["role"] as? String == role }
            let parameters = plugin?["parameters"] as? [[String: Any]]
            return parameters?.first { $0["name"] as? String == name }?["value"]
        }

        /// The state of a plugin.
        func state(of role: String) throws -> String? {
            let plugins = try ask("/api/session").object()["plugins"] as? [[String: Any]]
            return plugins?.first { $0["role"] as? String == role }?["state"] as? String
        }

        /// Waits until the session says something: a command takes effect after its answer.
        func wait<Value: Equatable>(for value: Value, _ said: (Room) throws -> Value?) throws {
            #expect(try waitUntil { try said(self) == value })
        }

        /// Ends the session.
        func end() -> Finished {
            run.signal(SIGINT)
            let finished = run.wait()
            #expect(finished.exit == .code(130), "\(finished)")
            return finished
        }
    }

    @Test func `commands change the session, and the answer describes the change`() throws {
        let room = try Room(
            """
            camera: { plugin: ColorBars, settings: { ball: false } }
            microphone: { plugin: Tone, settings: { frequency: 440 } }
            """, "--control")
        let set = try room.ask("/api/command", command: "set microphone.settings.frequency=880")
        #expect(set.status == 200, "\(set)")
        #expect(try set.object()["status"] as? String == "done", "\(set)")
        try room.wait(for: 880.0) { try $0.setting("frequency", of: "microphone") as? Double }
        #expect(
            room.run.waitForErrors(
                containing: "microphone: frequency set to 880.0 (command 1 of call)"),
            "\(room.run.errorsSoFar)")

        let mute = try room.ask("/api/command", command: "mute")
        #expect(try mute.object()["text"] as? String == "microphone muted", "\(mute)")
        let again = try room.ask("/api/command", command: "mute")
        #expect(again.status == 409, "\(again)")
        #expect(
            try again.object()["error"] as? String == "the microphone is already muted", "\(again)")
        try room.wait(for: "stopped") { try $0.state(of: "microphone") }
        #expect(try room.ask("/api/command", command: "unmute").status == 200)

        for (command, error) in [
            ("dance", "unknown command"), ("set camera.settings.ballroom=1", "no live setting"),
            ("set microphone.settings.frequency=99999999", "frequency"),
        ] {
            let refused = try room.ask("/api/command", command: command)
            #expect(refused.status == 400, "\(command): \(refused)")
            #expect(
                try #require(refused.object()["error"] as? String).contains(error), "\(refused)")
        }
        // Orderly, and as planned.
        let stop = try room.ask("/api/command", command: "stop")
        #expect(stop.status == 202, "\(stop)")
        let finished = room.run.wait()
        #expect(finished.exit == .code(0), "\(finished)")
    }

    @Test(.nightly)
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

    @Test(.nightly)
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

    @Test(.nightly) func `the picture, the report and the metrics show the session`() throws {
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

        // Frames of a track that is watched are those that its viewers need.
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

    /// The luma of the middle row of an image, at the middle of each of eight bars.
    private static func luma(of jpeg: [UInt8], in session: TestSession) throws -> [Int] {
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

    @Test(.nightly) func `the event stream includes earlier events`() throws {
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

    @Test func `viewers, guests and clients without a token control nothing`() throws {
        let room = try Room("camera: { plugin: ColorBars }", "--control")
        let paths = [
            "/api/session", "/api/report", "/api/events", "/api/still/camera.jpg", "/metrics",
        ]
        for path in paths {
            for token in [room.viewer, room.guest] {
                let answer = try room.ask(path, token: token)
                #expect(answer.status == 403, "\(path): \(answer)")
                #expect(try answer.object()["error"] != nil)
            }
            let answer = try room.ask(path, token: "")
            #expect(answer.status == 401, "\(path): \(answer)")
        }
        for token in [room.viewer, room.guest, "", "wrong"] {
            let answer = try room.ask("/api/command", command: "stop camera", token: token)
            #expect(answer.status == (token.count > 5 ? 403 : 401), "\(answer)")
        }
        #expect(try room.state(of: "camera") == "sending")
        let foreign = try room.ask(
            "/api/command", command: "stop camera", token: nil, "-H", "Origin: http://evil.example")
        #expect(foreign.status == 403, "\(foreign)")
        let form = try room.ask("/api/command", token: nil, "-d", "command=stop")
        #expect(form.status == 415, "\(form)")
        let long = try room.ask(
            "/api/command", command: String(repeating: "a", count: 10_000))
        #expect(long.status == 413, "\(long)")
        let unknown = try room.ask("/api/reboot")
        #expect(unknown.status == 404, "\(unknown)")
        let health = try room.ask("/health", token: "")
        #expect(health.status == 200, "\(health)")
        #expect(health.text == #"{"status":"live"}"#)
        // Commands are limited as other changes are, also of more connections than have a place.
        let many = try ChildProcess.run(
            "curl",
            [
                "-sZ", "-m", "60", "-o", "/dev/null", "-w", "%{http_code} ", "-H",
                "Authorization: Bearer \(room.operator)", "-H", "Content-Type: application/json",
                "-d", #"{"command": "dance"}"#, room.url + "/api/command?[1-200]",
            ])
        #expect(Set(many.text.split(separator: " ")) == ["400", "429"], "\(many)")
        let finished = room.end()
        // No secret is in the log.
        for token in [room.viewer, room.guest, room.operator] {
            #expect(!finished.standardError.contains("Bearer \(token)"))
        }
    }

    @Test func `a room that drains keeps its guest, refuses others and says so`() throws {
        let metrics = "a-metrics-token-1234"
        let room = try Room(
            """
            camera: { plugin: ColorBars }
            call: { plugin: WebRoom, settings: { metrics-token: \(metrics) } }
            """, "--control", "--set", "session.drain-timeout=1h")
        let ready = try room.ask("/ready", token: "")
        #expect(ready.status == 200 && ready.text == #"{"status":"ready"}"#, "\(ready)")
        let join = { (name: String) in
            try room.ask("/guests?name=\(name)", token: room.guest, "-X", "POST", "-D", "-")
        }
        let ana = try join("Ana")
        #expect(ana.status == 201, "\(ana)")
        let place = try #require(
            ana.text.split(separator: "\r\n").first { $0.hasPrefix("Location: ") })
        room.run.signal(SIGTERM)
        #expect(
            room.run.waitForErrors(
                containing: "draining: waiting for 1 guest, at most 1h (SIGTERM)"),
            "\(room.run.errorsSoFar)")
        try room.wait(for: 503) { try $0.ask("/ready", token: "").status }
        let closing = try room.ask("/ready", token: "")
        #expect(try closing.object()["status"] as? String == "draining", "\(closing)")
        #expect(try room.ask("/health", token: "").text == #"{"status":"live"}"#)
        let ben = try join("Ben")
        #expect(ben.status == 503 && ben.text.contains("closing"), "\(ben)")
        // Ana returns after a reload.
        let left = try room.ask(
            String(place.dropFirst("Location: ".count)), token: room.guest, "-X", "DELETE")
        #expect(left.status == 204, "\(left)")
        #expect(try join("ana").status == 201)
        #expect(try room.ask("/room").object()["draining"] as? Bool == true)

        // The metrics token reads the metrics and nothing else.
        // The host limits a plugin's reports, so the answer of the last request serves all checks.
        var text = ""
        try room.wait(for: true) {
            text = try $0.ask("/metrics", token: metrics).text
            return text.contains("greenroom_session_draining{")
                && text.contains("} 1\n# HELP greenroom_proc")
        }
        #expect(text.contains("greenroom_room_guest_places"))
        let file = try TemporaryFolder()
        _ = try file.write("metrics", text)
        let check = try ChildProcess.run(
            "sh", ["-c", "promtool check metrics < '\(file("metrics"))'"])
        #expect(check.exit == .code(0) && check.standardError.isEmpty, "\(check)")
        for path in ["/api/session", "/api/report", "/room"] {
            #expect(try room.ask(path, token: metrics).status == 401, "\(path)")
        }
        #expect(try room.ask("/metrics", token: room.guest).status == 403)
        // The second signal does not wait for Ana.
        room.run.signal(SIGTERM)
        let finished = room.run.wait()
        #expect(finished.exit == .code(130), "\(finished)")
    }

    @Test(.nightly) func `without the grant the operator changes nothing either`() throws {
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

    @Test(.nightly) func `the same in the host's process, by the session file`() throws {
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

    @Test(.nightly) func `the manual's curl lines work`() throws {
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
}
