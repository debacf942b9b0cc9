import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests how an operator reaches sessions that run.
@Suite(.ownThreads) struct OperateTests {
    let folder: TemporaryFolder

    let environment: [String: String?]

    init() throws {
        folder = try TemporaryFolder()
        environment = [
            "XDG_RUNTIME_DIR": folder.path, "RUNTIME_DIRECTORY": nil, "NOTIFY_SOCKET": nil,
            "WATCHDOG_USEC": nil,
        ]
    }

    /// Starts a session that runs until it is stopped, and waits until it can be reached.
    func start(
        _ name: String, environment more: [String: String?] = [:]
    ) throws -> ChildProcess {
        let file = try folder.write("\(name).yaml", Self.session("bars"))
        let process = try Greenroom.start(
            ["run", file], environment: environment.merging(more) { $1 })
        try expectError(process, "sending")
        return process
    }

    func expectError(_ process: ChildProcess, _ text: String) throws {
        guard process.waitForErrors(containing: text) else {
            throw Failure("no \(text):\n\(process.errorsSoFar)")
        }
    }

    static func session(_ pattern: String, _ more: String = "") -> String {
        """
        session: { maximum: 320x180@15 }
        camera: { plugin: ColorBars, settings: { pattern: \(pattern)\(more) } }
        """
    }

    func greenroom(_ arguments: String..., input: String = "") throws -> Finished {
        try Greenroom.start(arguments, input: Array(input.utf8), environment: environment)
            .wait()
    }

    /// The line of a session in the list, which has those of other tests and of users, too.
    func line(of session: ChildProcess) throws -> Substring? {
        try greenroom("sessions").text.split(separator: "\n").first {
            $0.split(separator: " ").dropFirst().first == "\(session.id)"
        }
    }

    @Test func `a session is listed, watched, steered and stopped from outside`() throws {
        let session = try start("lobby")
        let listed = try greenroom("sessions")
        #expect(listed.exit == .code(0), "\(listed)")
        #expect(try line(of: session) != nil, "\(listed)\n\(listed.text)")
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(greenroom("sessions", "--json").text.utf8))
                as? [String: [[String: Any]]])
        let names = json["sessions"]?.compactMap { $0["name"] as? String } ?? []
        #expect(names.contains("lobby"), "\(names)")
        let first = try line(of: session)?.split(separator: " ").first
        #expect(first == "lobby", "the same name:\n\(listed.text)")

        let done = try greenroom("control", "lobby", "set camera.settings.pattern=grey", "help")
        #expect(done.exit == .code(0), "\(done)")
        #expect(
            done.text.contains("pattern set to grey") && done.text.contains("mute"), "\(done.text)")
        let bad = try greenroom(
            "control", "lobby", input: "set camera.settings.patern=grey\nmute\n")
        #expect(bad.exit == .code(65))
        #expect(bad.standardError.contains("patern"), "\(bad)")
        #expect(bad.standardError.contains("mute"), "each line is tried:\n\(bad)")

        let status = try greenroom("status", "lobby")
        #expect(status.text.contains("track camera"), "\(status)\n\(status.text)")
        let report = try greenroom("status", "lobby", "--json")
        #expect(try JSONSerialization.jsonObject(with: Data(report.text.utf8)) is [String: Any])
        let log = try greenroom("logs", "lobby").text.split(separator: "\n")
        #expect(
            log.contains { $0.contains("\"started\"") } && log.contains { $0.contains("pattern") })

        let unknown = try greenroom("status", "loby")
        #expect(unknown.exit == .code(64))
        #expect(unknown.standardError.contains(" lobby.\(session.id)"), "\(unknown)")
        #expect(try greenroom("stop", "lobby").exit == .code(0))
        #expect(session.wait().exit == .code(0), "it is a planned end")
        #expect(try line(of: session) == nil)
    }

    @Test func `two sessions of one name are distinguished, and a killed one leaves nothing`()
        throws
    {
        let (first, second) = (try start("twice"), try start("twice"))
        let several = try greenroom("status", "twice")
        #expect(several.exit == .code(64))
        #expect(several.standardError.contains("twice.\(first.id)"), "\(several)")
        #expect(try greenroom("stop", "twice.\(first.id)").exit == .code(0))
        kill(second.id, SIGKILL)
        _ = (first.wait(), second.wait())
        #expect(try line(of: first) == nil && line(of: second) == nil)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder("greenroom"))
        #expect(left.isEmpty, "\(left)")
    }

    @Test func `a service manager hears when a session runs, lives and ends, and may reload it`()
        throws
    {
        let inbox = try Inbox(folder("notify"))
        let session = try start(
            "service", environment: ["NOTIFY_SOCKET": folder("notify"), "WATCHDOG_USEC": "3000000"])
        var heard: [String] = []
        while !heard.contains("READY=1") || heard.last != "WATCHDOG=1", let next = inbox.next() {
            heard.append(next)
        }
        #expect(heard.contains("READY=1") && heard.last == "WATCHDOG=1", "\(heard)")
        func expectLine(_ text: String) throws {
            try expectError(session, text)
            inbox.discard()
        }
        let more = "\nmicrophone: { plugin: Tone }"
        try folder.write("service.yaml", Self.session("grey") + more)
        kill(session.id, SIGHUP)
        try expectLine("pattern set to grey")
        try expectLine("session file: takes effect at the next start: microphone")
        let recording = "\noutputs: [{ record: \(folder("second")) }]"
        try folder.write(
            "service.yaml",
            Self.session("grey").replacing("session: {", with: "session: { minimum-real: 90%,")
                + more + recording)
        kill(session.id, SIGHUP)
        // The microphone is not there yet: it is told as long as that is so.
        try expectError(
            session, "takes effect at the next start: microphone; session.minimum-real; outputs")
        try folder.write("service.yaml", Self.session("grey"))
        kill(session.id, SIGHUP)
        try expectLine("session file: no changes")
        // What is refused is tried again, since it is not what runs.
        try folder.write("service.yaml", Self.session("plaid"))
        for count in 1...2 {
            kill(session.id, SIGHUP)
            let wasRefused = waitUntil {
                inbox.discard()
                return refusals(of: session) == count
            }
            #expect(wasRefused, "\(session.errorsSoFar)")
        }
        try folder.write("service.yaml", "camera: { plugn: ColorBars }")
        kill(session.id, SIGHUP)
        try expectLine("cannot reload; session unchanged")
        let log = try greenroom("logs", "service").text
        for text in ["next start: microphone", "session.minimum-real"] {
            #expect(log.contains(text), "\(log)")
        }
        for text in ["cannot reload", "plaid"] {
            #expect(
                log.split(separator: "\n").contains {
                    $0.contains(text) && $0.contains("\"level\":\"warning\"")
                }, "\(log)")
        }
        kill(session.id, SIGTERM)
        let ended = session.wait()
        #expect(ended.exit == .code(130), "\(ended)")
        var last = inbox.next()
        while last == "WATCHDOG=1" { last = inbox.next() }
        #expect(last == "STOPPING=1")
    }

    /// How often the session has told that a pattern is wrong.
    private func refusals(of session: ChildProcess) -> Int {
        session.errorsSoFar.split(separator: "\n").count {
            $0.hasPrefix("session file: ") && $0.contains("pattern") && !$0.contains("next start")
        }
    }
}
