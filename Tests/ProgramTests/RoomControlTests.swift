import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests what operators and programs do over HTTP with a session that allows it.
@Suite(.ownThreads(.heavy)) struct RoomControlTests {
    /// An answer of the room.
    struct Answer: CustomStringConvertible {
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
    struct Room {
        let session: FileSession
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
            session = try FileSession(sources, duration: nil, deadline: "20s", isolation: nil)
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
}
