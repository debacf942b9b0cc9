import GreenroomModel
import Foundation
import GreenroomConfig
import GreenroomHost
import GreenroomMedia
import GreenroomRuntime
import GreenroomSchema
import GreenroomSession
import SessionTestSupport
import Synchronization
import TestSupport
import Testing

/// The lines of a session's events.
private final class EventLines: Sendable {
    private let records = Mutex<[(EventRecord, String?)]>([])

    func add(_ record: EventRecord, line: String?) {
        records.withLock { $0.append((record, line)) }
    }

    /// The text for users.
    var text: String {
        records.withLock { $0.compactMap { $0.1 }.map { $0 + "\n" }.joined() }
    }

    /// An object a line.
    func json(of session: String) -> String {
        records.withLock { $0.map { $0.0.text(at: 0, of: session) + "\n" }.joined() }
    }
}

/// How the callback deadlines of a session pass, once a plugin has logged that it hangs.
enum Deadlines {
    /// In real time.
    case real
    /// One passes at once; other plugins' callbacks that begin later have all time.
    case onePasses
    /// Each passes as soon as the session waits for it: only the hanging plugin has callbacks.
    case allPass
}

/// The time of a session's deadlines. It stands still until a plugin logs that it hangs.
private final class HangTime: Sendable {
    let manual = ManualTime()
    private let span: Int64
    private let isHanging = Atomic(false)
    private let isOver = Atomic(false)

    init(_ span: Duration) { self.span = span.nanoseconds + 1 }

    func hang() {
        manual.advance(by: span)
        isHanging.store(true, ordering: .releasing)
    }

    /// Lets each deadline pass that the session waits for, until `end()`.
    func passAll() {
        while !isOver.load(ordering: .acquiring) {
            if isHanging.load(ordering: .acquiring), let next = manual.nextDeadline {
                manual.advance(by: next - manual.now)
            }
            sched_yield()
        }
    }

    func end() { isOver.store(true, ordering: .releasing) }
}

extension FileSession {
    /// Runs the session to its end in this process, and expects that its accounts add up.
    ///
    /// - Parameters:
    ///   - arguments: Options of `greenroom run`: `--json` and `--set`.
    ///   - deadlines: How deadlines pass.
    /// - Returns: As if the command had run: with the lines that it prints, and its exit code.
    func run(_ arguments: String..., deadlines: Deadlines = .real) throws -> Finished {
        let began = ContinuousClock.now
        let isJSON = arguments.contains("--json")
        let overrides = arguments.indices.filter { arguments[$0] == "--set" }.map {
            Override.set(arguments[$0 + 1])
        }
        let lines = EventLines()
        var name = ""
        var exit: Int32 = 65
        do {
            let file = try SessionFile.load(file, overrides: overrides)
            name = file.configuration.name
            let installation = Installation(programs: Checkout.products, pluginFolders: [])
            let plan = try file.plan(with: installation.locator())
            let time = deadlines == .real ? nil : HangTime(file.configuration.hangDeadline)
            let clock = time.map { HostClock($0.manual) } ?? .real
            let session = Session(plan: plan, host: clock) { event in
                if case .ended = event { return }
                lines.add(event.record, line: event.line)
                if case .pluginLog(_, _, "hangs") = event { time?.hang() }
            }
            if deadlines == .allPass { Thread { time?.passAll() }.start() }
            defer { time?.end() }
            let report = try session.run()
            var record = EventRecord(event: .ended)
            record.outcome = report.outcome.rawValue
            record.failedPlugin = report.failedPlugin
            record.summary = report.summary
            exit = Self.exitCode(of: report)
            record.exit = exit
            lines.add(record, line: report.summary.joined(separator: "\n"))
        } catch let error as SessionFileError {
            lines.add(EventRecord(event: .ended), line: error.lines.joined(separator: "\n"))
        }
        if let report = try? Report(recording + "/session.json") { report.expectAdditive() }
        return Finished(
            command: "a session in this process: \(arguments)", process: getpid(),
            exit: .code(exit), standardOutput: Array((isJSON ? lines.json(of: name) : "").utf8),
            standardError: isJSON ? "" : lines.text, duration: .now - began)
    }

    /// The exit code of `greenroom run`, whose own tests are in ProgramTests.
    private static func exitCode(of report: SessionReport) -> Int32 {
        switch report.outcome {
        case .finished, .running, .notReal: report.notReal == nil ? 0 : 66
        case .badSetting, .badPlugin: 65
        case .pluginFailed: 69
        case .outputsFailed: 74
        case .interrupted: 130
        }
    }
}
