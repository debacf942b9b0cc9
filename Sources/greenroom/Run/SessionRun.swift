import GreenroomModel
import Glibc
import GreenroomAudio
import GreenroomConfig
import GreenroomOutputs
import GreenroomSchema
import GreenroomHost
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomRuntime
import GreenroomSession
import GreenroomSystem
import Synchronization
import GreenroomOperate
import SystemPackage

/// Runs a session for a command, prints its events, and ends the process.
struct SessionRun {
    /// Whether to print events as JSON.
    var json = false
    /// Whether to print why each track has its size and frame rate.
    var explain = false
    /// Whether to read control lines from standard input.
    var control = false
    /// Whether control lines advance the time.
    var byHand = false
    /// The file for the report's numbers; nil if none.
    var metrics: String?
    /// The file for the journal; nil if none.
    var journal: String?
    /// Whether SIGHUP reloads the session file.
    var reloads = false
    /// Receives each event after it was printed. [any]
    var onEvent: @Sendable (SessionEvent, EventPrinter) -> Void = { _, _ in }

    /// Runs the session of a file until the session ends or is stopped.
    ///
    /// - Parameters:
    ///   - read: Reads the file. Ctrl-C already works then. A reload calls it again.
    ///   - change: Changes the configuration, for a command that adds to the file.
    func run(
        _ read: @escaping @Sendable () throws -> SessionFile,
        changing change: (inout SessionFile) throws -> Void = { _ in }
    ) throws -> Never {
        let parts = RunParts()
        handleSignals(parts)
        let plain = try read()
        var file = plain
        try change(&file)
        let printer = EventPrinter(
            style: style(for: file), session: file.configuration.runningName)
        let installation = Installation.ofThisProgram
        printer.warn(
            installation.locator().warnings.map { "warning: \($0)".printable }
                + file.warnings.map { file.source.render($0, isWarning: true) })
        let metrics = try metrics.map { try MetricsFile(path: $0) }
        let session: Session
        do throws(SessionFileError) {
            session = try Session(
                file, installation: installation, events: handler(printer, parts))
        } catch {
            printer.finish()
            throw error
        }
        printer.warn(
            file.places.diagnostics(session.plan.warningsOfRun).map {
                file.source.render($0, isWarning: true)
            })
        let journal = try journal.map { try JournalFile(path: $0) }
        let hand = byHand ? SessionHand(on: session.clock) : nil
        parts.begin(
            session, hand,
            Reload(
                file: plain, session: session, refusals: parts.refusals,
                show: { record, line in
                    printer.show(record, line: line)
                    parts.socket?.add(record)
                }, read: read))
        openSocket(of: session, named: file.configuration.runningName, printer, parts)
        parts.manager?.keepAlive(session)
        metrics?.follow(session) { printer.warn([$0.printable]) }
        if let journal {
            session.keepJournal { line in
                if let problem = journal.add(line) { printer.warn([problem.printable]) }
            }
        }
        showStatus(of: session, on: printer)
        if control {
            ControlInput(session: session, printer: printer, hand: hand).read()
        }
        do {
            let report = try session.run()
            if let problem = metrics?.finish(session) {
                printer.warn(["warning: metrics: \(problem)".printable])
            }
            if explain { showNegotiations(of: report, on: printer) }
            end(
                printer, parts.socket, parts.endings.status(of: report),
                outcome: report.outcome.rawValue,
                failedPlugin: report.failedPlugin,
                real: report.accounts.compactMapValues(\.realPercent),
                summary: report.summary + file.refusedSetting(in: report))
        } catch {
            end(
                printer, parts.socket, .outputFailed, outcome: EventRecord.outputFailed,
                failedPlugin: nil, real: nil,
                summary: ["greenroom: \(error)".printable])
        }
    }

    private func handleSignals(_ parts: RunParts) {
        Signals.block()
        let hangUp = { @Sendable in parts.readAgain() }
        let drain = { @Sendable in parts.drain() }
        let stop = { @Sendable in
            // Exit at once: before the session starts nothing is open, and a library that hangs
            // while loading must not keep the process alive.
            guard let session = parts.session else { _exit(ExitStatus.interrupted.rawValue) }
            session.stop()
        }
        Signals.handle(
            hangUp: reloads && !Signals.haveTerminal ? hangUp : nil, drain: drain, stop)
        if let parent = environmentVariable("GREENROOM_PARENT").flatMap({ pid_t($0) }), parent > 0 {
            Signals.handleEnd(of: parent, stop)
        }
    }

    /// Creates the handler of the session's events.
    private func handler(
        _ printer: EventPrinter, _ parts: RunParts
    ) -> @Sendable (SessionEvent) -> Void {
        let (explain, onEvent) = (explain, onEvent)
        return { event in
            switch event {
            case .outputFailed: parts.endings.outputFailed()
            // The result prints this event.
            case .ended: return
            // Time stands still before a reader learns that the session has started.
            case .started: parts.hand?.hold()
            case .stopping: parts.hand?.release()
            default: break
            }
            printer.show(event)
            parts.refusals.look(at: event)
            onEvent(event, printer)
            parts.socket?.add(event.record)
            switch event {
            case .started: parts.manager?.tell("READY=1")
            case .stopping: parts.manager?.tell("STOPPING=1")
            default: break
            }
            guard explain else { return }
            switch event {
            case .agreed(let role, _, let record), .renegotiated(let role, let record):
                printer.show(.explanation(role: role, record))
            default: break
            }
        }
    }

    private func openSocket(
        of session: Session, named name: String, _ printer: EventPrinter, _ parts: RunParts
    ) {
        do throws(SessionConnectionError) {
            parts.open(try SessionSocket(of: session, named: name))
        } catch {
            printer.warn([
                "warning: other programs cannot reach the session: \(error)".printable
            ])
        }
    }

    /// Prints the state of a session periodically, on a terminal.
    private func showStatus(of session: Session, on printer: EventPrinter) {
        guard let interval = printer.style.statusMicroseconds else { return }
        DetachedThread {
            while true {
                // Do not use usleep(): on a virtual clock a sleeping thread may be a plugin's.
                poll(nil, 0, Int32(clamping: interval / 1000))
                if let snapshot = session.snapshot { printer.show(snapshot) }
            }
        }
    }

    private func showNegotiations(of report: SessionReport, on printer: EventPrinter) {
        let participants = (report.participants ?? []).flatMap { $0.tracks.compactMap(\.video) }
        for video in report.videoTracks + participants {
            for record in video.negotiation {
                printer.show(.explanation(role: video.track, record))
            }
        }
    }

    private func style(for file: SessionFile) -> EventPrinter.Style {
        guard json else {
            return isatty(STDERR_FILENO) == 1
                ? .terminal
                : Journal(session: file.configuration.runningName).map { .journal($0) } ?? .plain
        }
        let isTaken = file.configuration.outputs.contains { $0.output.usesStandardOutput }
        return .json(isTaken ? STDERR_FILENO : StandardOutput.descriptor.rawValue)
    }

    private func end(
        _ printer: EventPrinter, _ socket: SessionSocket?, _ status: ExitStatus, outcome: String,
        failedPlugin: String?,
        real: [String: Double]?, summary: [String]
    ) -> Never {
        var record = EventRecord(event: .ended)
        record.level = status == .fine || status == .interrupted ? .info : .error
        record.outcome = outcome
        record.failedPlugin = failedPlugin
        record.exit = status.rawValue
        record.real = real
        record.summary = summary
        printer.show(record, line: summary.joined(separator: "\n"))
        socket?.add(record)
        socket?.close()
        // Wait for the reader of plugins' output too. A hung plugin's thread must not delay the
        // exit.
        if printer.finish() { fflush(nil) }
        guard let failure = printer.failure else { _exit(status.rawValue) }
        Console.write("greenroom: the events could not be printed: \(failure)", to: .errors)
        _exit((status == .fine ? .outputFailed : status).rawValue)
    }
}

/// The parts of a run that signals and events use while it starts.
private final class RunParts: Sendable {
    private struct State {
        var session: Session?
        var hand: SessionHand?
        var socket: SessionSocket?
    }

    let endings = Endings()
    let manager = ServiceManager()
    let refusals = ReloadRefusals()
    /// Lock this before ``state``: a reload reports its changes to the socket.
    private let reload = Mutex<Reload?>(nil)
    private let state = Mutex(State())

    var session: Session? { state.withLock { $0.session } }
    var hand: SessionHand? { state.withLock { $0.hand } }
    var socket: SessionSocket? { state.withLock { $0.socket } }

    func begin(_ session: Session, _ hand: SessionHand?, _ reload: Reload) {
        state.withLock { ($0.session, $0.hand) = (session, hand) }
        self.reload.withLock { $0 = reload }
    }

    /// Drains the session after SIGTERM.
    ///
    /// - Returns: Whether the session runs and has a drain timeout.
    func drain() -> Bool {
        guard let session, session.drain(origin: "SIGTERM") else { return false }
        manager?.extendStop(by: session.plan.configuration.drainTimeout)
        return true
    }

    /// Reloads the session file, if the session runs.
    func readAgain() { reload.withLock { _ = $0?.run() } }

    func open(_ socket: SessionSocket) { state.withLock { $0.socket = socket } }
}

/// The events that determine the exit status.
final class Endings: Sendable {
    private let hasFailedOutput = Atomic(false)

    func outputFailed() { hasFailedOutput.store(true, ordering: .relaxed) }

    /// The exit status.
    func status(of report: SessionReport) -> ExitStatus {
        ExitStatus(report.outcome, hasFailedOutput: hasFailedOutput.load(ordering: .relaxed))
    }
}

extension SessionFile {
    /// The setting that a plugin has refused, with its place in the file, the rule and the fix;
    /// empty if the session ended for another reason.
    fileprivate func refusedSetting(in report: SessionReport) -> [String] {
        guard report.outcome == .badSetting, let role = report.failedPlugin,
            let reason = report.plugins.first(where: { $0.role == role })?.losses?.last?.evidence
        else { return [] }
        let plugin = configuration.plugins.first { "\($0.address)" == role }?.plugin
        let path =
            plugin?.connect == nil
            ? plugin?.pathOfSetting(in: reason, at: role) ?? role : "\(role).connect"
        return ["\(located(ConfigurationError([ConfigurationProblem(reason, at: path)])))"]
    }
}

extension EventPrinter {
    /// Prints warnings about legal but unlikely values.
    fileprivate func warn(_ warnings: [String]) {
        for warning in warnings {
            var record = EventRecord(event: .warning)
            record.text = warning
            show(record, line: warning)
        }
    }
}
