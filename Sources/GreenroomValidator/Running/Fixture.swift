import GreenroomConversion
import GreenroomHarness
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomSession
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

/// A life of the plugin under a check's eyes.
///
/// Steps that other checks judge throw the verdict that this one can't look; ``pluginHarness`` has the
/// steps as they are.
final class Fixture: Sendable {
    let process: SharedProcess
    let clock: HarnessClock
    let pluginHarness: PluginHarness
    /// What came of the life so far.
    let record: Record
    private let examination: Examination
    /// When it was started last, on the session clock.
    private let started = Mutex(Int64(0))

    init(
        _ examination: Examination, _ process: SharedProcess, _ clock: HarnessClock,
        number: Int = 0, settings: [Setting], withholding withheld: String?,
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
                        trace: { record.take($0) }, traceEdit: { record.take($0) })),
                descriptor: examination.descriptor, settings: settings),
            on: clock, as: number,
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

    // MARK: Steps that have to work

    func create() throws(Verdict) { try mustBeDone(.create, make(.create)) }

    /// - Parameter offer: nil for the one that a session of 1920x1080 at 30 would make.
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

    /// Lets some time pass after a start: a stop right after it is a check of its own.
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

    /// Ends what ``start(_:)`` began.
    func end() throws(Verdict) {
        try stopSend()
        try uninitialize()
        try destroy()
    }

    /// Lets session time pass.
    func wait(seconds: Double) throws(Verdict) {
        if pluginHarness.wait(nanoseconds: Int64(seconds * 1e9)) != nil {
            throw crash()
        }
    }

    private func mustBeDone(_ step: LifecycleStep, _ end: PluginHarness.StepEnd) throws(Verdict) {
        guard end != .done else { return }
        throw ordinary(step, end)
    }

    /// What it means for any check that an ordinary step ended like this: another one is about that.
    ///
    /// - Parameter name: What people read; nil for the step's own.
    func ordinary(
        _ step: LifecycleStep, _ end: PluginHarness.StepEnd, as name: String? = nil
    ) -> Verdict {
        verdict(on: name ?? step.rawValue, end).unless(check(naming: step, end))
    }

    /// The check that is about a step that ended like this.
    func check(naming step: LifecycleStep?, _ end: PluginHarness.StepEnd) -> String {
        switch end {
        case .pumps: "lifecycle.start-returns"
        // Whatever it is, it waits for that.
        case .hangs where pluginHarness.runningCallback?.step == .startSend:
            "lifecycle.start-returns"
        case .hangs where step == .startSend: "lifecycle.start-returns"
        case .hangs where step == .stopSend: "lifecycle.stop-in-time"
        case .hangs: "lifecycle.callbacks-in-time"
        case .refused(.badAnswer, _): "negotiation.answer-in-offer"
        default: "lifecycle.whole-life"
        }
    }

    // MARK: Steps that are judged

    /// Makes a step, and waits for it for two seconds, besides those that the machine
    /// had no time for the plugin.
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

    /// Makes a step, and waits likewise.
    func timed(_ step: LifecycleStep, _ body: (PluginHarness) -> PluginHarness.StepEnd)
        -> PluginHarness.StepEnd
    {
        let cpuDeadline = CPUTimeDeadline(process.process)
        let end = body(pluginHarness)
        guard end == .hangs else { return end }
        return cpuDeadline.endsInTime { pluginHarness.runningCallback?.step == step }
            ? .done : .hangs
    }

    // MARK: Verdicts

    /// What a step's end means that should have been done.
    func verdict(on step: String, _ end: PluginHarness.StepEnd) -> Verdict {
        switch end {
        case .done: .passed()
        case .refused(let status, let text): .failed("\(step) answers \(status): \(text)")
        case .illegal(let state): .failed("\(step) is not possible: it is \(state.rawValue)")
        case .pumps: .failed("\(step) sends from inside and does not return: begin a thread there")
        case .hangs: .failed("\(step) has not returned after 2 s: it has to, whatever goes on")
        case .lost: crash()
        }
    }

    /// The verdict on a process that is lost.
    func crash() -> Verdict {
        .crashed(process.evidence ?? pluginHarness.fault ?? "its process is lost", process.lines)
            .unless(spinsOnFullQueue ? "sound.back-pressure" : "lifecycle.whole-life")
    }
}
