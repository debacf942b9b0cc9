import GreenroomModel
import Glibc
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomLifecycle
import GreenroomSession
import GreenroomVideo
import Synchronization
import GreenroomOperate

/// One session of a preview, and its output.
final class PreviewRun: Sendable {
    /// The reason that the session is over.
    enum Ending {
        /// Stopped by the user, the duration, or the loss of the viewer or of the output.
        case wanted
        /// A new build of the plugin exists.
        case rebuilt
        /// The plugin failed or finished.
        case alone
    }

    private struct State {
        var negotiation = PreviewNegotiation()
        var shown: Session.TimedReport?
        var isOver = false
        var isRebuilt = false
        var hasLostReader = false
    }

    /// The interval of status checks, in milliseconds.
    private static let intervalMilliseconds: Int32 = 50

    private let plan: PreviewPlan
    private let screen: PreviewScreen
    private let tap: PreviewTap
    private let target: Y4MTarget?
    private let endings = Endings()
    private let state = Mutex(State())

    init(
        _ plan: PreviewPlan, screen: PreviewScreen, tap: PreviewTap, target: Y4MTarget?
    ) {
        self.plan = plan
        self.screen = screen
        self.tap = tap
        self.target = target
    }

    /// Runs the session to its end.
    ///
    /// - Parameters:
    ///   - interruption: The interruption that ends the session.
    ///   - isRebuilt: Whether a new build exists. Called on one thread, while the session runs.
    /// - Throws: ``OutputError`` if an output cannot be opened.
    func run(
        until interruption: Interruption, orWhen isRebuilt: (@Sendable () -> Bool)? = nil
    ) throws -> (ending: Ending, status: ExitStatus) {
        let session = Session(plan: plan.session) { self.show($0) }
        interruption.watch(session)
        defer { interruption.watch(nil) }
        DetachedThread { self.look(at: session, isRebuilt) }
        defer { state.withLock { $0.isOver = true } }
        let report = try session.run()
        finish(session)
        let result = result(of: report, session)
        if result.status == .notReal {
            screen.show((report.notReal ?? []).map { "track \($0): no real media" })
        }
        return result
    }

    private func result(
        of report: SessionReport, _ session: Session
    ) -> (ending: Ending, status: ExitStatus) {
        let (isRebuilt, hasLostReader) = state.withLock { ($0.isRebuilt, $0.hasLostReader) }
        let status = hasLostReader ? .fine : endings.status(of: report)
        if hasLostReader || status == .interrupted || status == .outputFailed {
            return (.wanted, status)
        }
        if isRebuilt { return (.rebuilt, status) }
        let isTimeOver = session.timedReport.flatMap { timedReport in
            plan.session.configuration.duration.map { timedReport.seconds >= $0 / .seconds(1) }
        }
        return (isTimeOver == true ? .wanted : .alone, status)
    }

    // MARK: Events

    private func show(_ event: SessionEvent) {
        switch event {
        // Reported elsewhere, with their result.
        case .agreed, .renegotiated, .started, .ended: break
        case .outputFailed where target?.hasLostItsReader == true:
            state.withLock { $0.hasLostReader = true }
            screen.show("\(target?.name ?? ""): the reader closed it")
        case .outputFailed:
            endings.outputFailed()
            screen.show(event.line?.lines ?? [])
        // Plugin authors need debug lines.
        case .pluginLog(let role, .debug, let text): screen.show("\(role): debug: \(text)")
        default: screen.show(event.line?.lines ?? [])
        }
    }

    // MARK: Numbers

    /// Checks the session until it is over.
    private func look(at session: Session, _ isRebuilt: (@Sendable () -> Bool)?) {
        while true {
            // Do not use usleep(): on a virtual clock a sleeping thread may be a plugin's.
            poll(nil, 0, Self.intervalMilliseconds)
            let isOver = state.withLock { state in
                if !state.isOver { show(session, &state) }
                return state.isOver
            }
            if isOver { return }
            if let isRebuilt, isRebuilt() {
                state.withLock { $0.isRebuilt = true }
                session.stop(isPlanned: true)
                return
            }
        }
    }

    private func show(_ session: Session, _ state: inout State) {
        guard let timedReport = session.timedReport, timedReport.seconds != state.shown?.seconds
        else {
            return
        }
        tell(timedReport, &state)
        let statistics = PreviewStatistics(
            parts: plan.parts, before: state.shown, now: timedReport, loudness: tap.takeLoudness())
        if screen.isTerminal {
            screen.show(block: statistics.status)
        } else if state.shown != nil {
            screen.show(statistics.line)
        }
        state.shown = timedReport
    }

    /// Reports the results of offers to the plugin, without offers to an output's companions.
    private func tell(
        _ timedReport: Session.TimedReport, _ state: inout State, isOver: Bool = false
    ) {
        guard let track = plan.parts[0].videoTrack,
            let video = timedReport.report.videoTracks.first(where: { $0.track == track.rawValue })
        else { return }
        screen.show(
            state.negotiation.lines(
                of: video.negotiation, at: timedReport.seconds, isOver: isOver))
    }

    /// Shows the final statistics.
    private func finish(_ session: Session) {
        state.withLock { state in
            state.isOver = true
            screen.endBlock()
            guard let timedReport = session.timedReport else { return }
            tell(timedReport, &state, isOver: true)
            screen.show(PreviewStatistics(parts: plan.parts, now: timedReport).block)
        }
    }
}
