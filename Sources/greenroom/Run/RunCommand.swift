import ArgumentParser
import Glibc
import GreenroomConfig
import GreenroomHost
import GreenroomMedia
import Synchronization

/// `greenroom run FILE`.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a session until its duration is over, its sources end, or Ctrl-C.",
        discussion: """
            Messages go to standard error, so that `y4m: "-"` can have standard output. \
            Ctrl-C ends the session in order; a second Ctrl-C ends the process at once. \
            Recordings are whole either way.
            """)

    @OptionGroup var source: SessionFileOptions

    @Flag(help: "Print events as JSON, one object a line, on standard output.")
    var json = false

    func run() throws {
        Signals.block()
        let running = Mutex<Session?>(nil)
        Signals.handle {
            // Until there is a session nothing was opened; a library that hangs while it is
            // loaded must not keep the process.
            guard let session = running.withLock({ $0 }) else {
                _exit(ExitStatus.interrupted.rawValue)
            }
            session.stop()
        }
        let file = try source.read()
        let plan = try SessionPlan(file, locator: .ofThisProcess)
        let writesY4M = plan.outputs.contains {
            if case .y4mStandardOutput = $0 { true } else { false }
        }
        let style: EventPrinter.Style =
            json
            ? .json(writesY4M ? STDERR_FILENO : STDOUT_FILENO)
            : isatty(STDERR_FILENO) == 1 ? .terminal : .plain
        let printer = EventPrinter(style: style)
        let failures = Failures()
        let session = Session(plan: plan) { event in
            if case .outputFailed = event { failures.outputFailed() }
            printer.show(event)
        }
        running.withLock { $0 = session }
        if let interval = style.statusMicroseconds {
            Thread {
                while true {
                    usleep(interval)
                    if let snapshot = session.snapshot { printer.show(snapshot) }
                }
            }
        }
        let report: SessionReport
        do {
            report = try session.run()
        } catch {
            throw Failure(.outputFailed, "\(error)")
        }
        if !json { printer.show(line: report.summary(of: plan)) }
        let status: ExitStatus =
            switch report.outcome {
            case "plugin-failed": .pluginFailed
            case "interrupted": .interrupted
            default: failures.hasFailedOutput ? .outputFailed : .fine
            }
        // A plugin that hangs has left a thread behind, which must not delay the end.
        fflush(nil)
        _exit(status.rawValue)
    }
}

/// What has to be known of a session's events when it is over.
private final class Failures: Sendable {
    private let hasFailed = Atomic(false)

    func outputFailed() { hasFailed.store(true, ordering: .relaxed) }

    var hasFailedOutput: Bool { hasFailed.load(ordering: .relaxed) }
}

extension SessionReport {
    /// What a user wants to know at the end.
    func summary(of plan: SessionPlan) -> String {
        var lines: [String] = []
        for picture in pictures {
            for output in picture.outputs {
                var line =
                    "\(output.output): \(output.delivered + output.repeated) frames"
                if output.repeated > 0 { line += ", \(output.repeated) of them repeats" }
                let lost =
                    output.queueFull + output.unconvertible + output.failed + picture.superseded
                if lost > 0 { line += "; \(lost) frames lost" }
                lines.append(line)
            }
            lines += refusals(of: "frames", picture.refused).map { "\(picture.track): \($0)" }
        }
        for sound in sounds {
            if sound.concealed > 0 {
                lines.append("\(sound.role): \(sound.concealed / 48) ms of silence, it was late")
            }
            lines += refusals(of: "blocks", sound.refused).map { "\(sound.role): \($0)" }
        }
        for loudspeaker in loudspeakers where loudspeaker.underruns + loudspeaker.dropped > 0 {
            lines.append(
                "\(loudspeaker.output): \(loudspeaker.underruns) underruns, "
                    + "\(loudspeaker.dropped / 48) ms lost")
        }
        // Before there are tracks, nothing is written.
        for output in plan.outputs where !(pictures.isEmpty && sounds.isEmpty) {
            if case .record(let folder, _, _) = output {
                lines.append("recorded in \(folder), with session.json")
            }
        }
        if let failedPlugin { lines.append("the session ended because \(failedPlugin) failed") }
        return lines.isEmpty ? "nothing was recorded" : lines.joined(separator: "\n")
    }

    /// One frame that meets the end of the session is nobody's fault.
    private func refusals(of unit: String, _ counts: [String: Int]) -> [String] {
        counts.sorted { $0.key < $1.key }
            .filter { $0.key != Status.stopped.description || $0.value > 1 }
            .map { "\($0.value) \(unit) refused: \($0.key)" }
    }
}
