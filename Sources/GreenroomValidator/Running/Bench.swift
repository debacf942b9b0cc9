import GreenroomConversion
import GreenroomHost
import GreenroomIsolation
import GreenroomLoading
import GreenroomMedia

/// A life of the plugin under a check's eyes.
///
/// Steps that other checks judge throw the verdict that this one can't look; ``rehearsal`` has the
/// steps as they are.
final class Bench: Sendable {
    let process: SharedProcess
    let clock: RehearsalClock
    let rehearsal: Rehearsal
    /// What came of the life so far.
    let record: Record
    private let examination: Examination

    init(
        _ examination: Examination, _ process: SharedProcess, _ clock: RehearsalClock,
        number: Int = 0, settings: [Setting], withholding withheld: String?,
        leases: LeaseWatch? = nil
    ) {
        self.examination = examination
        self.process = process
        self.clock = clock
        let record = Record()
        self.record = record
        rehearsal = Rehearsal(
            SourcePlan(origin: process, descriptor: examination.descriptor, settings: settings),
            on: clock, as: number,
            scrutiny: Scrutiny(withheldExtension: withheld, leases: leases) { record.take($0) },
            audience: Rehearsal.Audience(
                sees: { record.take($0, at: $1) }, hears: { record.take($0) },
                isTold: { record.take($0) }))
    }

    deinit { rehearsal.leave() }

    var kind: PluginKind { examination.descriptor.kind }

    // MARK: Steps that have to work

    func create() throws(Verdict) { try mustBeDone("create", rehearsal.create()) }

    /// - Parameter offer: nil for the one that a session of 1920x1080 at 30 would make.
    func initialize(_ offer: Offer? = nil) throws(Verdict) {
        try mustBeDone("initialize", rehearsal.initialize(offer ?? rehearsal.nextOffer()))
    }

    func startSend() throws(Verdict) {
        let end = rehearsal.startSend()
        if end == .pumps { return }
        try mustBeDone("start-send", end)
    }

    func stopSend() throws(Verdict) { try mustBeDone("stop-send", rehearsal.stopSend()) }
    func uninitialize() throws(Verdict) { try mustBeDone("uninitialize", rehearsal.uninitialize()) }
    func destroy() throws(Verdict) { try mustBeDone("destroy", rehearsal.destroy()) }

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
        if rehearsal.wait(nanoseconds: Int64(seconds * 1e9)) != nil { throw crash() }
    }

    private func mustBeDone(_ name: String, _ end: Rehearsal.StepEnd) throws(Verdict) {
        guard end != .done else { return }
        if case .lost = end { throw crash() }
        throw .hindered(by: "lifecycle.whole-life", "\(name) did not work")
    }

    // MARK: Steps that are judged

    /// The steps after create, by name, each with what a whole life does in it.
    var steps: [(name: String, step: () -> Rehearsal.StepEnd)] {
        [
            ("initialize", { [rehearsal] in rehearsal.initialize(rehearsal.nextOffer()) }),
            ("start-send", { [rehearsal] in rehearsal.startSend() }),
            (
                "sending",
                { [rehearsal] in rehearsal.wait(nanoseconds: 500_000_000).map { .lost($0) } ?? .done
                }
            ),
            ("stop-send", { [rehearsal] in rehearsal.stopSend() }),
            ("uninitialize", { [rehearsal] in rehearsal.uninitialize() }),
            ("destroy", { [rehearsal] in rehearsal.destroy() }),
        ]
    }

    /// What a step's end means that should have been done.
    func verdict(on step: String, _ end: Rehearsal.StepEnd) throws(Verdict) -> Verdict {
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
        .crashed(process.evidence ?? rehearsal.fault ?? "its process is lost", process.lines)
    }
}
