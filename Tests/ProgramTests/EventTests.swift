import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests what a session tells programs: events, entries of the journal, numbers and disks.
@Suite(.ownThreads) struct EventTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func session(_ name: String, _ text: String = "") throws -> String {
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

    @Test func `metrics are in a file that a collector can read, even after the session`() throws {
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
}
