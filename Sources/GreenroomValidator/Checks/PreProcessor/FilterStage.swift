import CLinux
import Glibc
import GreenroomConversion
import GreenroomHarness
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomSession
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomProbe

/// Where a filter edits frames: a process of it, with a life for each size.
final class FilterStage {
    /// What came of a frame.
    struct Edited: Sendable {
        var status: Status
        /// Of the visible bytes before and after.
        var before: UInt64
        var after: UInt64
        /// What was written beside them; nil where nobody looked, too.
        var spill: FilterSpill?
        /// What of the frame's description was changed, as the plugin's process tells it.
        var changed: FrameMembers

        var isUnchanged: Bool { before == after }
    }

    private let examination: Examination
    private let deadline: Int64
    private var first: Fixture?
    private var lives = 0

    /// - Parameter seconds: How long frames are edited there at most, in real time.
    init(_ examination: Examination, seconds: Int64 = 40) {
        self.examination = examination
        deadline = MonotonicClock.deadline(after: seconds * 1_000_000_000)
    }

    /// Begins a life.
    ///
    /// - Parameters:
    ///   - row: The one row that its frames will have.
    ///   - watch: Guards its frames.
    /// - Returns: nil if it does not take that row.
    func begin(
        _ row: VideoCapability, guarded watch: LeaseWatch? = nil
    ) throws(Verdict) -> FilterLife? {
        let fixture: Fixture
        if let first {
            lives += 1
            fixture = examination.fixture(beside: first, number: lives, leases: watch)
        } else {
            fixture = try examination.fixture(leases: watch)
            first = fixture
        }
        try fixture.create()
        switch fixture.pluginHarness.initialize(fixture.pluginHarness.nextOffer(maximum: row)) {
        case .done: break
        case .refused: return nil
        case let end: throw fixture.verdict(on: "initialize", end)
        }
        try fixture.startSend()
        return FilterLife(examination, fixture, row, guarded: watch, until: deadline)
    }

    /// Its process.
    var process: SharedProcess? { first?.process }
}

/// A life of a filter at one size.
final class FilterLife {
    let fixture: Fixture
    let row: VideoCapability
    private let examination: Examination
    /// Guards its frames.
    private let watch: LeaseWatch?
    private var isGuarded: Bool { watch != nil }
    private let deadline: Int64
    private var number = 0
    /// Where the planes of the newest frame lie in the frames' memory: it is the only one, and so in
    /// the first slot.
    private(set) var planes: [LeaseWatch.Plane] = []
    /// Whether it had a frame for longer than anything may take.
    private(set) var isLate = false
    /// Whether the machine had no time for it, so that a frame came back too late.
    private(set) var wasDelayed = false
    /// What came of it if it crashed.
    private(set) var crash: Verdict?
    /// Whether a crash is told as it is, and no other check's business.
    var isTrial = false
    /// What is written around frames.
    var padding: UInt8 = 0xA5

    init(
        _ examination: Examination, _ fixture: Fixture, _ row: VideoCapability,
        guarded watch: LeaseWatch?, until deadline: Int64
    ) {
        self.examination = examination
        self.deadline = deadline
        self.fixture = fixture
        self.row = row
        self.watch = watch
    }

    /// What a frame took.
    struct Times: Sendable {
        /// Time of all of its process's threads on a processor, in nanoseconds.
        var run: Int64
        /// From when it was handed over to when it came back, but for when a thread of either side
        /// waited for a processor, in nanoseconds.
        var taken: Int64
        /// How long such threads waited, in nanoseconds.
        var delay: Int64
    }

    /// Has a frame edited.
    ///
    /// - Parameter measure: Gets what that took.
    func edit(
        _ picture: FilterFrame, measure: (Times) -> Void = { _ in }
    ) throws(Verdict) -> FilterStage.Edited {
        guard MonotonicClock.now < deadline else {
            throw .hindered(
                by: "pre-processor.cost", "it takes too long to try every frame")
        }
        var before: UInt64 = 0
        var meter = TimeMeter(
            process: fixture.process.process, editingThread: fixture.record.editingThread)
        let padding = isGuarded ? padding : nil
        let info = FrameInfo(
            color: picture.color, offerRevision: 1,
            ptsNanoseconds: fixture.clock.now + Int64(number) * row.intervalNanoseconds)
        let edit = fixture.pluginHarness.edit(row.size, info: info) { frame in
            // The memory of a process that has just been lost is no more.
            let isGuarded = frame.isInGivenMemory
            picture.fill(&frame, padding: isGuarded ? padding : nil, number: number)
            planes = (0..<frame.planeCount).map {
                LeaseWatch.Plane(
                    offset: frame.planeOffset($0), strideBytes: frame.strideBytes($0),
                    byteCount: frame.byteCount($0))
            }
            before = frame.digest
            meter.begin()
        }
        let times = meter.end()
        number += 1
        guard let edit else { throw .skipped("no memory for a frame of \(row.size)") }
        switch consume edit {
        case .late:
            guard times.taken > Self.leastLate else {
                wasDelayed = true
                throw .skipped(
                    "the machine was too busy to tell: a frame did not come back in time, and threads "
                        + "waited \(times.delay / 1_000_000) ms for a processor")
            }
            isLate = true
            throw .hindered(by: "pre-processor.cost", "process takes more than 2 s")
        case .returned(let frame, let status):
            if status == .gone || status == .stopped, isLost { throw crashed() }
            measure(times)
            let padding = frame.isInGivenMemory ? padding : nil
            return FilterStage.Edited(
                status: status, before: before, after: frame.digest,
                spill: padding.flatMap { FilterSpill.first(in: frame, padding: $0) },
                changed: fixture.record.edits.last?.changed ?? [])
        }
    }

    /// Whether its process is lost, once the news of that has come, which may take a busy machine
    /// some time.
    private var isLost: Bool { (0..<10).contains { _ in fixture.process.evidence != nil } }

    /// What a frame that has not come back must have taken at least, in nanoseconds: no plugin that is
    /// not to blame takes a second of its own time.
    private static let leastLate: Int64 = 1_000_000_000

    /// Has a guarded frame edited by a filter that does no more than that.
    func editKeepingToPlanes(_ picture: FilterFrame) throws(Verdict) -> FilterStage.Edited {
        let edit: FilterStage.Edited
        do throws(Verdict) {
            edit = try self.edit(picture)
        } catch {
            guard crash != nil else { throw error }
            throw .hindered(by: "pre-processor.planes", "it crashes")
        }
        guard edit.spill == nil else {
            throw .hindered(by: "pre-processor.planes", "it writes outside its planes")
        }
        return edit
    }

    /// Lets the plugin's own threads go on for a while.
    func linger(milliseconds: UInt32) throws(Verdict) {
        usleep(milliseconds * 1000)
        if fixture.pluginHarness.fault != nil { throw crashed() }
    }

    func end() throws(Verdict) { try fixture.end() }

    /// Ends it, of a filter that touches no frame any more.
    func endKeepingToPlanes() throws(Verdict) {
        do throws(Verdict) {
            try end()
        } catch {
            guard let fault = fixture.process.fault, watch?.offset(of: fault.address) != nil else {
                throw error
            }
            throw .hindered(by: "pre-processor.planes", "it crashes")
        }
    }

    /// The verdict on a crash: another check's, if it happens there as well.
    private func crashed() -> Verdict {
        let verdict = fixture.crash()
        crash = verdict
        guard isTrial || isGuarded || !FilterSizes.crashes(examination, at: row) else {
            return .hindered(by: "pre-processor.sizes", "it crashes")
        }
        return verdict
    }
}

/// Measures what a call of another process took.
private struct TimeMeter {
    private let process: Int32
    private let editingThread: Int32?
    private var start = (time: Int64(0), run: Int64(0), delay: Int64(0))

    /// - Parameter editingThread: The one of this process that hands frames over.
    init(process: Int32, editingThread: Int32?) {
        self.process = process
        self.editingThread = editingThread
    }

    mutating func begin() {
        // The time is read last here, and first at the end: what comes between is not in it.
        let (run, delay) = (run, delay)
        start = (MonotonicClock.now, run, delay)
    }

    func end() -> FilterLife.Times {
        let time = MonotonicClock.now - start.time
        let waited = max(delay - start.delay, 0)
        let ran = max(run - start.run, 0)
        // Threads that wait at the same time count twice: but no work is done faster than by all
        // processors at once.
        let least = ran / greenroom_processor_count()
        return FilterLife.Times(run: ran, taken: max(time - waited, least), delay: waited)
    }

    /// How long the process has had a processor.
    private var run: Int64 {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            return 0
        }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// How long those threads of it and of this process were waiting for one that a frame goes
    /// through.
    private var delay: Int64 {
        let own = [greenroom_thread_number(), editingThread]
        return ProcessLoad(of: process) { _, name in name != "greenroom-watch" }.delayNanoseconds
            + ProcessLoad(of: getpid()) { thread, _ in own.contains(thread) }.delayNanoseconds
    }
}

/// Sizes that filters are tried at.
enum FilterSizes {
    /// The rows of the table that sessions agree on.
    static let table = CapabilityTable.standard.rows
    /// Sizes whose chroma rounds up, whose rows have padding, and as small as can be.
    static let unfamiliar = [
        (1919, 1079), (853, 479), (641, 361), (352, 241), (127, 95), (3, 3), (2, 2), (1, 1),
    ].map { VideoCapability(width: $0.0, height: $0.1, fps: 15) }
    /// What is tried at each.
    static let contents: [FilterFrame.Content] = [.noise, .slope, .black]

    /// Whether a filter crashes at a size, with nothing about it that is not so in a session.
    static func crashes(_ examination: Examination, at row: VideoCapability) -> Bool {
        guard let life = try? FilterStage(examination).begin(row) else { return false }
        for content in contents {
            life.isTrial = true
            _ = try? life.edit(FilterFrame(content, examination.random(1)))
        }
        return life.crash != nil
    }
}

extension VideoCapability {
    /// From a frame to the next, in nanoseconds.
    var intervalNanoseconds: Int64 {
        1_000_000_000 * Int64(rate.denominator) / Int64(rate.numerator)
    }
}
