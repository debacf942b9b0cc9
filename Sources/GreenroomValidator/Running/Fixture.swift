import GreenroomModel
import GreenroomConversion
import GreenroomHarness
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

/// A run of the plugin for a check.
///
/// Steps that other checks judge throw a verdict that names the judging check. ``pluginHarness``
/// has the steps without verdicts.
final class Fixture: Sendable {
    let process: SharedProcess
    let clock: HarnessClock
    let pluginHarness: PluginHarness
    /// The record of the run so far.
    let record: Record
    private let examination: Examination
    /// The time of the last start, on the session clock.
    private let started = Mutex(Int64(0))

    init(
        _ examination: Examination, _ process: SharedProcess, _ clock: HarnessClock,
        number: Int = 0, settings: [PluginSetting], withholding withheld: String?,
        leases: LeaseWatch? = nil
    ) {
        self.examination = examination
        self.process = process
        self.clock = clock
        let record = Record()
        self.record = record
        pluginHarness = PluginHarness(
            SourcePlan(
                factory: process.observed(
                    by: PluginTracer(
                        withheldExtension: withheld, leases: leases, now: { clock.now },
                        trace: { record.take($0) }, traceEdit: { record.take($0) },
                        traceTake: { record.take($0) })),
                descriptor: examination.descriptor, settings: settings),
            on: clock, as: number, hanging: Set(examination.request.hanging),
            sinks: PluginHarness.Sinks(
                onFrame: { record.take($0, at: $1) }, onAudio: { record.take($0) },
                onEvent: { record.take($0) }))
        examination.progress.follow(self)
    }

    deinit {
        examination.progress.add(pluginHarness.spent)
        pluginHarness.leave()
    }

    var kind: PluginKind { examination.descriptor.kind }

    // MARK: Steps that must succeed

    func create() throws(Verdict) { try mustBeDone(.create, make(.create)) }

    /// - Parameter offer: The offer; nil for the offer of a 1920x1080@30 session.
    func initialize(_ offer: Offer? = nil) throws(Verdict) {
        let offer = offer ?? pluginHarness.nextOffer()
        try mustBeDone(.initialize, make(.initialize, offer))
    }

    func startSend() throws(Verdict) {
        let end = make(.startSend)
        if end == .pumps { return }
        try mustBeDone(.startSend, end)
    }

    func stopSend() throws(Verdict) {
        try settle()
        try mustBeDone(.stopSend, make(.stopSend))
    }

    /// Waits after a start. Another check covers a stop directly after the start.
    func settle() throws(Verdict) {
        let moment = started.withLock { $0 } + 50_000_000
        let left = moment - clock.now
        if left > 0 { try wait(seconds: Double(left) / 1e9) }
    }

    func uninitialize() throws(Verdict) { try mustBeDone(.uninitialize, make(.uninitialize)) }
    func destroy() throws(Verdict) { try mustBeDone(.destroy, make(.destroy)) }

    /// Creates, initializes and starts.
    func start(_ offer: Offer? = nil) throws(Verdict) {
        try create()
        try initialize(offer)
        try startSend()
    }

    /// Ends a run that ``start(_:)`` started.
    func end() throws(Verdict) {
        try stopSend()
        try uninitialize()
        try destroy()
    }

    /// Waits in session time.
    func wait(seconds: Double) throws(Verdict) {
        if pluginHarness.wait(nanoseconds: Int64(seconds * 1e9)) != nil {
            throw crash()
        }
    }

    private func mustBeDone(_ step: LifecycleStep, _ end: PluginHarness.StepEnd) throws(Verdict) {
        guard end != .done else { return }
        throw ordinary(step, end)
    }

    /// The verdict on the end of an ordinary step. The verdict names the check that judges the
    /// step.
    ///
    /// - Parameter name: The step in messages; nil if the step's own name.
    func ordinary(
        _ step: LifecycleStep, _ end: PluginHarness.StepEnd, as name: String? = nil
    ) -> Verdict {
        verdict(on: name ?? step.rawValue, end).unless(check(naming: step, end))
    }

    /// The check that reports a step's end.
    func check(naming step: LifecycleStep?, _ end: PluginHarness.StepEnd) -> String {
        switch end {
        // The host waits for the call before it calls stop-send.
        case .hangs where hangsInMedia: "output.in-time"
        case .refused where pluginHarness.hasRefusedTrack: "output.wants"
        case .lost where kind.isOutput: checkOfCrash
        case .pumps: "lifecycle.start-returns"
        // The step only waits for start-send.
        case .hangs where pluginHarness.runningCallback?.step == .startSend:
            "lifecycle.start-returns"
        case .hangs where step == .startSend: "lifecycle.start-returns"
        case .hangs where step == .stopSend: "lifecycle.stop-in-time"
        case .hangs: "lifecycle.callbacks-in-time"
        case .refused(.badAnswer, _): "negotiation.answer-in-offer"
        default: "lifecycle.whole-life"
        }
    }

    // MARK: Checked steps

    /// Runs a step with a time limit of two seconds. Time in which the machine was too busy does
    /// not count.
    func make(_ step: LifecycleStep, _ offer: Offer? = nil) -> PluginHarness.StepEnd {
        if step == .startSend { started.withLock { $0 = clock.now } }
        return timed(step) { pluginHarness in
            switch step {
            case .create: pluginHarness.create()
            case .initialize: pluginHarness.initialize(offer)
            case .startSend: pluginHarness.startSend()
            case .stopSend: pluginHarness.stopSend()
            case .uninitialize: pluginHarness.uninitialize()
            default: pluginHarness.destroy()
            }
        }
    }

    /// Runs a step with a time limit of two seconds.
    func timed(_ step: LifecycleStep, _ body: (PluginHarness) -> PluginHarness.StepEnd)
        -> PluginHarness.StepEnd
    {
        let cpuDeadline = CPUTimeDeadline(process.process)
        let end = body(pluginHarness)
        guard end == .hangs, !examination.request.hanging.contains(step) else { return end }
        let isDone = cpuDeadline.endsInTime {
            // An output's initialize includes its wants for the tracks.
            let running = pluginHarness.runningCallback?.step
            return running == step || running == .track && step == .initialize
        }
        if !isDone { examination.progress.add(hanging: step) }
        return isDone ? .done : .hangs
    }

    // MARK: Verdicts

    /// The verdict on a step that should have succeeded.
    func verdict(on step: String, _ end: PluginHarness.StepEnd) -> Verdict {
        switch end {
        case .done: .passed()
        case .refused(let status, let text): .failed("\(step) answers \(status): \(text)")
        case .illegal(let state): .failed("\(step) is not possible: it is \(state.rawValue)")
        case .pumps: .failed("\(step) sends from inside and does not return: start a thread there")
        case .hangs where hangsInMedia:
            .failed("video or audio has not returned after 2 s: it must always return")
        case .hangs: .failed("\(step) has not returned after 2 s: it must always return")
        case .lost: crash()
        }
    }

    /// Whether an output's media call hangs.
    var hangsInMedia: Bool { (pluginHarness.mediaNanoseconds ?? 0) > 2_000_000_000 }

    /// The check that names a crash.
    private var checkOfCrash: String {
        if spinsOnFullQueue { return "audio.back-pressure" }
        // The process of an output cannot write to frames.
        let isWrite = process.fault.map { $0.access != .read && $0.address > 0xffff } ?? false
        return kind.isOutput && isWrite ? "output.read-only" : "lifecycle.whole-life"
    }

    /// The verdict on a lost process.
    func crash() -> Verdict {
        .crashed(process.evidence ?? pluginHarness.fault ?? "its process is lost", process.lines)
            .unless(checkOfCrash)
    }
}
