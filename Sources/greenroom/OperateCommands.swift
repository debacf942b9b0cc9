import GreenroomModel
import ArgumentParser
import Glibc
import RoomAccess
import GreenroomSchema
import GreenroomLifecycle
import GreenroomSystem
import SystemPackage
import GreenroomOperate

/// `greenroom sessions`.
struct SessionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List this user's running sessions.",
        discussion: "Root sees the sessions of all users and services.")

    @Flag(help: "Print the list as one JSON object.")
    var json = false

    func run() throws {
        let sessions = Self.answers(of: RunningSession.all)
        guard !json else {
            let list = sessions.map { session, answer -> JSON in
                .members([
                    ("name", .string(session.name)),
                    ("process", .number(Double(session.process))),
                    ("state", .string(answer.state)),
                    ("seconds", answer.seconds.map { .number($0) }),
                ])
            }
            return Console.write(json: (["sessions": .array(list)] as JSON).text)
        }
        guard !sessions.isEmpty else { return Console.write("no session runs") }
        let rows = sessions.map { session, answer -> [String] in
            [session.name, "\(session.process)", answer.words, answer.tracks]
        }
        Console.write(table([["NAME", "PROCESS", "RUNS", "TRACKS"]] + rows))
    }

    /// A session's answer about itself.
    private enum Answer {
        case status(EventRecord)
        /// The session has refused, with the reason: too many programs are connected.
        case refused(String)
        /// The session has not answered in time.
        case none

        var seconds: Double? {
            if case .status(let record) = self { record.seconds } else { nil }
        }

        var state: String {
            switch self {
            case .status(let record): record.seconds == nil ? "starting" : "running"
            case .refused: "busy"
            case .none: "silent"
            }
        }

        var words: String {
            switch self {
            case .status(let record): record.seconds.map { "\(Int(clamping: $0)) s" } ?? "starting"
            case .refused(let text): "does not say: \(text)"
            case .none: "does not answer"
            }
        }

        var tracks: String {
            guard case .status(let record) = self, let real = record.real else { return "" }
            return real.sorted { $0.key < $1.key }
                .map { "\($0) \(Int(clamping: $1.rounded())) % real" }.joined(separator: ", ")
        }
    }

    /// Queries all sessions at once, so that several stopped sessions cost no more time than one.
    private static func answers(of sessions: [RunningSession]) -> [(RunningSession, Answer)] {
        let connections = sessions.map { session in
            (session, Asked(session))
        }
        let deadline = ContinuousClock.now + SessionConnection.timeout
        return connections.map { session, asked in (session, asked.answer(before: deadline)) }
    }

    /// A session that was asked for its status.
    private final class Asked {
        private var connection: SessionConnection?

        init(_ session: RunningSession) {
            connection = try? session.connect()
            try? connection?.send(.status)
        }

        func answer(before deadline: ContinuousClock.Instant) -> Answer {
            guard let line = (try? connection?.next(before: deadline)) ?? nil,
                let record = EventRecord(json: line)
            else { return .none }
            return record.event == .controlError
                ? .refused(record.text ?? "no reason") : .status(record)
        }
    }
}

/// The option that names a command's session.
struct SessionOption: ParsableArguments {
    @Argument(help: "The session's name, as greenroom sessions lists it.")
    var name: String
}

/// `greenroom status NAME`.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the report of a running session so far.")

    @OptionGroup var session: SessionOption

    @Flag(help: "Print the report as JSON, as in session.json.")
    var json = false

    @Flag(help: "Print the report's numbers in Prometheus' text format.")
    var metrics = false

    func validate() throws {
        if json, metrics { throw ValidationError("--json and --metrics exclude each other.") }
    }

    func run() throws {
        var connection = try RunningSession.find(session.name).connect()
        try connection.send(json || metrics ? .report : .status)
        guard let line = try connection.next(before: .now + SessionConnection.timeout) else {
            throw ExitError.hasEnded
        }
        let record = EventRecord(json: line)
        if record?.event == .controlError {
            throw ExitError(.outputFailed, record?.text ?? line)
        }
        guard !json else { return Console.write(json: line) }
        if metrics {
            guard let metrics = Metrics(report: line) else { throw ExitError.hasEnded }
            return Console.write(metrics.text.lines)
        }
        Console.write(record?.summary ?? ["the session is starting"])
    }
}

/// `greenroom control NAME [LINE]…`.
struct ControlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "control",
        abstract: "Send commands to a running session.",
        discussion: """
            Accepts the commands of greenroom run --control, which greenroom control demo help \
            lists. Each argument is one command. Without arguments, the program reads commands from \
            standard input, one per line. Exit codes: 0 all succeeded, 65 one failed.
            """)

    @OptionGroup var session: SessionOption

    @Argument(help: "A command, such as 'ceiling 640x360@15'.")
    var lines: [String] = []

    func run() throws {
        var connection = try RunningSession.find(session.name).connect()
        var isFine = true
        if lines.isEmpty {
            while let line = readLine() { isFine = try perform(line, &connection) && isFine }
        } else {
            // One argument may have several lines.
            for line in lines.flatMap({ $0.split(whereSeparator: \.isNewline) }) {
                isFine = try perform(String(line), &connection) && isFine
            }
        }
        guard isFine else { throw ExitError(explained: .badFile) }
    }

    /// Sends a line to the session, and waits for the result.
    private func perform(
        _ line: String, _ connection: inout SessionConnection
    ) throws -> Bool {
        let line = line.trimmed
        guard !line.isEmpty, !line.hasPrefix("#") else { return true }
        guard SessionRequest(rawValue: line) == nil else {
            throw ExitError(
                .usage,
                "\(line): not a command; see greenroom status --help and greenroom logs --help.")
        }
        try connection.send(line)
        while let answer = try connection.next() {
            guard let record = EventRecord(json: answer) else { continue }
            switch record.event {
            case .commanded:
                Console.write(record.text ?? line)
                return true
            case .help:
                Console.write(record.commands ?? [])
                return true
            default:
                Console.write(
                    "\(line): \(record.text ?? record.event.rawValue)", to: .errors)
                return false
            }
        }
        // The session has ended, by the command or by itself.
        guard line == "stop" else { throw ExitError.hasEnded }
        return true
    }
}

/// `greenroom logs NAME`.
struct LogsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Print the newest events of a running session, as JSON, one per line.")

    @OptionGroup var session: SessionOption

    @Flag(name: [.short, .long], help: "Follow new events until the session ends.")
    var follow = false

    func run() throws {
        var connection = try RunningSession.find(session.name).connect()
        // Subscribe first: an event in between then appears twice, but is not lost.
        if follow { try connection.send(.events) }
        try connection.send(.log)
        var seen: Set<String> = []
        while let line = try connection.next(unlessClosed: StandardOutput.descriptor.rawValue) {
            let record = EventRecord(json: line)
            if record?.event == .logEnd {
                guard follow else { return }
                seen = []
                continue
            }
            // An error without an origin concerns the connection: the session has no room for this
            // program.
            if let record, record.event == .controlError, record.origin == nil {
                throw ExitError(.outputFailed, record.text ?? line)
            }
            guard seen.insert(line).inserted || !follow else { continue }
            guard try printed(line) else { return }
        }
    }
}

/// Prints a line immediately.
///
/// - Returns: Whether the reader is still there.
/// - Throws: ``ExitError`` if the line cannot be written.
private func printed(_ line: String) throws(ExitError) -> Bool {
    Console.write(json: line)
    guard let error = Console.flush() else { return true }
    guard error != .brokenPipe else { return false }
    throw ExitError(.outputFailed, "standard output: \(error)")
}

/// `greenroom drain NAME`.
struct DrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract:
            "Refuse new guests, and wait until the session ends after its last guest.",
        discussion: """
            The session ends after its drain-timeout at the latest. If it has none, it ends at once. \
            Ctrl-C ends only this command, and the session continues to drain.
            """)

    @OptionGroup var session: SessionOption

    func run() throws {
        try RunningSession.find(session.name).end(by: "drain") { Console.write($0) }
    }
}

extension RunningSession {
    /// Sends a line that ends the session, and waits for the end.
    ///
    /// - Parameter show: Receives the session's answer.
    fileprivate func end(by line: String, _ show: (String) -> Void = { _ in }) throws {
        var connection = try connect()
        try connection.send(line)
        while let line = try connection.next() {
            guard let record = EventRecord(json: line) else { continue }
            guard record.event != .controlError else {
                throw ExitError(.outputFailed, record.text ?? line)
            }
            if let text = record.text { show(text) }
        }
        guard !RunningSession.all.contains(where: { $0.path == path }) else {
            throw ExitError(.outputFailed, "\(fullName) did not accept \(line); still running")
        }
    }
}

/// `greenroom stop NAME`.
struct StopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop a running session, and wait until it has ended.")

    @OptionGroup var session: SessionOption

    func run() throws {
        try RunningSession.find(session.name).end(by: "stop")
    }
}

extension ExitError {
    /// The error if the command's session has ended.
    fileprivate static var hasEnded: ExitError {
        ExitError(.outputFailed, "the session has ended.")
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

extension Int {
    /// The nearest integer; 0 if none, because a session's text may contain any number.
    fileprivate init(clamping value: Double) {
        self = Int(exactly: value.rounded(.towardZero)) ?? 0
    }
}
