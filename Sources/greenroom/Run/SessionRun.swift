import Glibc
import GreenroomAudio
import GreenroomConfig
import GreenroomOutputs
import GreenroomSchema
import GreenroomHost
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomSession
import GreenroomSystem
import Synchronization
import GreenroomModel
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
    /// Where to write the report's numbers; nil for nowhere.
    var metrics: String?
    /// Whether SIGHUP has the session file read again.
    var reloads = false
    /// Sees each event after it was printed. [any]
    var onEvent: @Sendable (SessionEvent, EventPrinter) -> Void = { _, _ in }

    /// Runs the session of a file until it ends, or is asked to.
    ///
    /// - Parameters:
    ///   - read: Reads the file. Ctrl-C works already. A reload reads it again.
    ///   - change: Changes what runs, for a command that adds to the file.
    func run(
        _ read: @escaping @Sendable () throws -> SessionFile,
        changing change: (inout SessionFile) throws -> Void = { _ in }
    ) throws -> Never {
        Signals.block()
        let running = Mutex<Session?>(nil)
        let reload = Mutex<Reload?>(nil)
        let hangUp = { @Sendable in _ = reload.withLock { $0?.run() } }
        Signals.handle(hangUp: reloads && !Signals.haveTerminal ? hangUp : nil) {
            // Before the session starts nothing is open; a library that hangs while loading must
            // not keep the process.
            guard let session = running.withLock({ $0 }) else {
                _exit(ExitStatus.interrupted.rawValue)
            }
            session.stop()
        }
        let plain = try read()
        var changed = plain
        try change(&changed)
        let file = changed
        let printer = EventPrinter(
            style: style(for: file), session: file.configuration.runningName)
        let installation = Installation.ofThisProgram
        printer.warn(
            installation.locator().warnings.map { "warning: \($0)".printable }
                + file.warnings.map { file.source.render($0, isWarning: true) })
        let endings = Endings()
        let manager = ServiceManager()
        let socket = Mutex<SessionSocket?>(nil)
        let refusals = ReloadRefusals()
        let show = { @Sendable (event: SessionEvent) in
            switch event {
            case .outputFailed: endings.outputFailed()
            // Printed with the result.
            case .ended: return
            default: break
            }
            printer.show(event)
            refusals.look(at: event)
            onEvent(event, printer)
            socket.withLock { $0 }?.add(event.record)
            switch event {
            case .started: manager?.tell("READY=1")
            case .stopping: manager?.tell("STOPPING=1")
            default: break
            }
            guard explain else { return }
            switch event {
            case .agreed(let role, _, let record), .renegotiated(let role, let record):
                printer.show(.explanation(role: role, record))
            default: break
            }
        }
        let metrics = try metrics.map { try MetricsFile(path: $0) }
        let session: Session
        do throws(SessionFileError) {
            session = try Session(file, installation: installation, events: show)
        } catch {
            printer.finish()
            throw error
        }
        printer.warn(
            file.places.diagnostics(session.plan.warningsOfRun).map {
                file.source.render($0, isWarning: true)
            })
        running.withLock { $0 = session }
        reload.withLock {
            $0 = Reload(
                file: plain, session: session, refusals: refusals,
                show: { record, line in
                    printer.show(record, line: line)
                    socket.withLock { $0 }?.add(record)
                }, read: read)
        }
        do throws(UnreachableSession) {
            let opened = try SessionSocket(
                of: session, named: file.configuration.runningName)
            socket.withLock { $0 = opened }
        } catch {
            printer.warn([
                "warning: the session can't be reached from outside: \(error.message)".printable
            ])
        }
        manager?.keepAlive(session)
        metrics?.follow(session) { printer.warn([$0.printable]) }
        if let interval = printer.style.statusMicroseconds {
            DetachedThread {
                while true {
                    // Not usleep(): on a virtual clock a thread that sleeps may be a plugin's.
                    poll(nil, 0, Int32(clamping: interval / 1000))
                    if let snapshot = session.snapshot { printer.show(snapshot) }
                }
            }
        }
        if control {
            ControlInput(session: session, printer: printer).read()
        }
        do {
            let report = try session.run()
            if let problem = metrics?.finish(session) {
                printer.warn(["warning: metrics: \(problem)".printable])
            }
            if explain {
                let participants = report.participants ?? []
                for video in report.videoTracks
                    + participants.flatMap({ $0.tracks.compactMap(\.video) })
                {
                    for record in video.negotiation {
                        printer.show(.explanation(role: video.track, record))
                    }
                }
            }
            end(
                printer, socket.withLock { $0 }, endings.status(of: report),
                outcome: report.outcome.rawValue,
                failedPlugin: report.failedPlugin,
                real: report.accounts.compactMapValues(\.realPercent),
                summary: report.summary + file.refusedSetting(in: report))
        } catch {
            end(
                printer, socket.withLock { $0 }, .outputFailed, outcome: "output-failed",
                failedPlugin: nil, real: nil,
                summary: ["greenroom: \(error)".printable])
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
        _exit(status.rawValue)
    }
}

/// The events that determine the exit status.
final class Endings: Sendable {
    private let hasFailedOutput = Atomic(false)

    func outputFailed() { hasFailedOutput.store(true, ordering: .relaxed) }

    /// The exit status.
    func status(of report: SessionReport) -> ExitStatus {
        switch report.outcome {
        case .pluginFailed: .pluginFailed
        case .interrupted: .interrupted
        case .outputsFailed: .outputFailed
        case .badSetting: .badFile
        case .running, .finished, .notReal:
            hasFailedOutput.load(ordering: .relaxed)
                ? .outputFailed : report.notReal == nil ? .fine : .notReal
        }
    }
}

extension SessionFile {
    /// The setting that a plugin has refused, with its place in the file, the rule and the cure; empty if
    /// the session did not end because of that.
    fileprivate func refusedSetting(in report: SessionReport) -> [String] {
        guard report.outcome == .badSetting, let role = report.failedPlugin,
            let reason = report.plugins.first(where: { $0.role == role })?.losses?.last?.evidence
        else { return [] }
        let plugin = configuration.plugins.first { "\($0.address)" == role }?.plugin
        // A broadcast has no plugin in the file.
        let path = plugin?.pathOfSetting(in: reason, at: role) ?? "\(role).broadcast"
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
