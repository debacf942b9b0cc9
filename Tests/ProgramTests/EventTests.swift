import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests what a session tells programs: events, entries of the journal, numbers and disks.
@Suite(.ownThreads) struct EventTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func session(_ name: String, _ text: String = "") throws -> String {
        try folder.write(
            "\(name).yaml",
            """
            session: { maximum: 320x180@15, duration: 1s, clock: virtual }
            camera: { plugin: ColorBars }
            \(text)
            """)
    }

    @Test func `events match their schema, with time, level and session`() throws {
        let file = try session("bars", "timeline: [{ at: 500ms, do: stop camera }]")
        let run = try Greenroom.run("run", file, "--json", "--explain")
        #expect(run.exit == .code(0), "\(run)")
        let schema = try folder.write("schema.json", try Greenroom.run("schema", "--events").text)
        let events = try folder.write("events.json", run.text)
        let checked = try ChildProcess.run(
            "python3",
            [
                "-c",
                """
                import json, jsonschema, sys
                schema = json.load(open(sys.argv[1]))
                jsonschema.Draft202012Validator.check_schema(schema)
                events = [json.loads(line) for line in open(sys.argv[2])]
                for event in events:
                    jsonschema.validate(event, dict(schema, additionalProperties=False))
                print(" ".join(event["event"] + ":" + event["level"] for event in events))
                print(" ".join(sorted({event["session"] for event in events})))
                print(all(a["at"] <= b["at"] for a, b in zip(events, events[1:])), events[0]["at"])
                """, schema, events,
            ])
        #expect(checked.exit == .code(0), "\(checked)")
        let lines = checked.text.split(separator: "\n")
        for word in [
            "agreed:info", "started:info", "commanded:info", "explanation:info", "ended:info",
        ] {
            #expect(lines[0].split(separator: " ").contains(word[...]), "\(lines[0])")
        }
        #expect(lines[1].wholeMatch(of: /bars\.[0-9]+/) != nil, "\(lines[1])")
        #expect(
            lines[2].wholeMatch(of: /True 20[0-9]{2}(-[0-9]{2}){2}T[0-9:]{8}\.[0-9]{3}Z/) != nil,
            "\(lines[2])")
    }

    @Test(.nightly, .enabled(if: geteuid() == 0))
    func `under systemd events are entries of the journal`() throws {
        let inbox = try Inbox(folder("journal"))
        let log = try folder.write("stderr", "")
        var about = stat()
        stat(log, &about)
        let file = try session("lobby")
        let run = try ChildProcess.run(
            "unshare",
            [
                "--mount", "sh", "-c",
                """
                mount -t tmpfs none /run && mkdir -p /run/systemd/journal \
                && touch /run/systemd/journal/socket \
                && mount --bind '\(folder("journal"))' /run/systemd/journal/socket \
                && exec '\(Checkout.greenroom)' run '\(file)' 2>> '\(log)'
                """,
            ], environment: ["JOURNAL_STREAM": "\(about.st_dev):\(about.st_ino)"])
        var entries: [[String: String]] = []
        while entries.last?["GREENROOM_EVENT"] != "ended", let text = inbox.next() {
            let fields = text.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
            #expect(fields.allSatisfy { $0.count == 2 }, "\(text)")
            #expect(Set(fields.map { $0[0] }).count == fields.count, "\(text)")
            entries.append(
                Dictionary(uniqueKeysWithValues: fields.map { (String($0[0]), String($0[1])) }))
        }
        let said = String(decoding: try readFile(log), as: UTF8.self)
        #expect(said.isEmpty, "\(run)\n\(said)")
        let started = try #require(entries.first { $0["GREENROOM_EVENT"] == "started" })
        #expect(started["MESSAGE"] == "sending" && started["PRIORITY"] == "6", "\(started)")
        #expect(started["SYSLOG_IDENTIFIER"] == "greenroom")
        #expect(started["GREENROOM_SESSION"]?.hasPrefix("lobby.") == true, "\(started)")
        #expect(entries.contains { $0["GREENROOM_ROLE"] == "camera" }, "\(entries)")
        #expect(entries.last?["GREENROOM_OUTCOME"] == "finished", "\(entries)")
    }

    @Test func `numbers are in a file that a collector can read, also after the end`() throws {
        let metrics = folder("lobby.prom")
        let run = try Greenroom.run("run", try session("lobby"), "--metrics", metrics)
        #expect(run.exit == .code(0), "\(run)")
        let text = String(decoding: try readFile(metrics), as: UTF8.self)
        #expect(text.contains("greenroom_session_running{session=\"lobby\"} 0\n"), "\(text)")
        #expect(
            text.contains(#"{session="lobby",track="camera",state="accepted"} 15"#), "\(text)")
        var about = stat()
        #expect(stat(metrics, &about) == 0 && about.st_mode & 0o777 == 0o644)
        let refused = try Greenroom.run(
            "run", try session("lobby"), "--metrics", folder("none/lobby.prom"))
        #expect(refused.exit == .code(74), "\(refused)")
        #expect(refused.standardError.contains("its folder must exist"), "\(refused)")
        symlink(metrics, folder("link.prom"))
        let link = try Greenroom.run("run", try session("lobby"), "--metrics", folder("link.prom"))
        #expect(link.exit == .code(74) && link.standardError.contains("symbolic link"), "\(link)")
    }

    @Test(.nightly) func `the disk space of a recording is estimated before it starts`() throws {
        let fits = try session("fits", "outputs: [{ record: out }]")
        let check = try Greenroom.run("check", fits)
        // 320 x 180 x 1.5 bytes, 15 times a second.
        #expect(check.text.contains("out: takes up to 4.7 GB an hour; "), "\(check.text)")
        #expect(check.text.contains(" are free, enough for "), "\(check.text)")
        let json = try JSONSerialization.jsonObject(
            with: Data(try Greenroom.run("check", fits, "--json").text.utf8))
        let plan = (json as? [String: Any])?["session"] as? [String: Any]
        let disk = try #require((plan?["disk"] as? [[String: Any]])?.first)
        let frame: Double = 320 * 180 * 1.5
        #expect(disk["bytes-per-hour"] as? Double == frame * 15 * 3600)
        let large = try folder.write(
            "large.yaml",
            """
            session: { maximum: 1920x1080@60, duration: 1000h }
            camera: { plugin: ColorBars }
            outputs: [{ record: out }]
            """)
        let warned = try Greenroom.run("check", large)
        #expect(warned.text.contains("the disk is full after "), "\(warned.text)")
    }
}
