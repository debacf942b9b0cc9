import GreenroomModel
import CLinux
import Glibc
import GreenroomConversion
import GreenroomHarness
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomRunner

/// Edits frames with a filter in one process, with an instance for each size.
final class FilterStage {
    /// The result for a frame.
    struct Edited: Sendable {
        var status: Status
        /// Of the visible bytes before and after.
        var before: UInt64
        var after: UInt64
        /// Writes beside them; nil if not checked.
        var spill: FilterSpill?
        /// Changed members of the frame's description, from the plugin's process.
        var changed: FrameMembers

        var isUnchanged: Bool { before == after }
    }

    private let examination: Examination
    private let deadline: Int64
    private var first: Fixture?
    private var lives = 0

    /// - Parameter seconds: Limit of real time for all edits.
    init(_ examination: Examination, seconds: Int64 = 40) {
        self.examination = examination
        deadline = MonotonicClock.deadline(after: seconds * 1_000_000_000)
    }

    /// Starts an instance.
    ///
    /// - Parameters:
    ///   - row: The one row of its frames.
    ///   - watch: Guards its frames.
    /// - Returns: nil if it refuses the row.
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

    /// The process of the first instance; nil if none.
    var process: SharedProcess? { first?.process }
}

/// An instance of a filter at one size.
final class FilterLife {
    let fixture: Fixture
    private(set) var row: VideoCapability
    private let examination: Examination
    /// Guards its frames.
    private let watch: LeaseWatch?
    private var isGuarded: Bool { watch != nil }
    private let deadline: Int64
    private var number = 0
    /// The planes of the newest frame in the frames' memory: it is the only one, so it is in the
    /// first slot.
    private(set) var planes: [LeaseWatch.Plane] = []
    /// Whether it had a frame for longer than the limit.
    private(set) var isLate = false
    /// Whether the machine was too busy, so that a frame returned late.
    private(set) var wasDelayed = false
    /// The verdict on its crash, if any.
    private(set) var crash: Verdict?
    /// Whether a crash is returned as is, without naming another check.
    var isTrial = false
    /// The byte around frames.
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

    /// The time of an edit.
    struct Times: Sendable {
        /// Processor time of all threads of its process, in nanoseconds.
        var run: Int64
        /// From handing over to return, in nanoseconds, without the time that threads of both sides
        /// waited for a processor.
        var taken: Int64
        /// The time that those threads waited, in nanoseconds.
        var delay: Int64
    }

    /// Calls the plugin to edit a frame.
    ///
    /// - Parameter measure: Receives the time.
    func edit(
        _ source: FilterFrame, measure: (Times) -> Void = { _ in }
    ) throws(Verdict) -> FilterStage.Edited {
        guard MonotonicClock.now < deadline else {
            throw .hindered(
                by: "pre-processor.cost", "takes too long to try every frame")
        }
        var before: UInt64 = 0
        var meter = TimeMeter(
            process: fixture.process.process, editingThread: fixture.record.editingThread)
        let padding = isGuarded ? padding : nil
        let info = FrameInfo(
            color: source.color, offerRevision: 1,
            ptsNanoseconds: fixture.clock.now + Int64(number) * row.intervalNanoseconds)
        let edit = fixture.pluginHarness.edit(row.size, info: info) { frame in
            // The memory of a process that has just been lost is gone.
            let isGuarded = frame.isInGivenMemory
            source.fill(&frame, padding: isGuarded ? padding : nil, number: number)
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
        guard let edit else { throw .notProven("no memory for a frame of \(row.size)") }
        switch consume edit {
        case .overdue:
            guard times.taken > Self.leastLate else {
                wasDelayed = true
                throw .notProven(
                    "the machine was too busy to tell: process did not return in time, and threads "
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

    /// Whether its process is lost. On a busy machine this may be known late.
    private var isLost: Bool { (0..<10).contains { _ in fixture.process.evidence != nil } }

    /// The minimum time of a frame that counts as late, in nanoseconds: a correct plugin does not
    /// take a second of its own time.
    private static let leastLate: Int64 = 1_000_000_000

    /// Tells the filter of another size of its frames.
    ///
    /// - Returns: Whether it follows.
    func change(to next: VideoCapability) throws(Verdict) -> Bool {
        guard let offer = fixture.pluginHarness.nextOffer(maximum: next) else { return false }
        switch fixture.pluginHarness.propertyChange(offer) {
        case .done: break
        case .lost: throw crashed()
        case let end: throw fixture.ordinary(.propertyChange, end, as: "property_change")
        }
        guard case .answered = fixture.pluginHarness.reply(to: offer.revision) else { return false }
        row = next
        return true
    }

    /// Calls a filter to edit a guarded frame, expecting no other writes.
    func editKeepingToPlanes(_ source: FilterFrame) throws(Verdict) -> FilterStage.Edited {
        let edit: FilterStage.Edited
        do throws(Verdict) {
            edit = try self.edit(source)
        } catch {
            guard crash != nil else { throw error }
            throw .hindered(by: "pre-processor.planes", "crashes")
        }
        guard edit.spill == nil else {
            throw .hindered(by: "pre-processor.planes", "writes outside its planes")
        }
        return edit
    }

    /// Waits while the plugin's own threads run.
    func linger(milliseconds: UInt32) throws(Verdict) {
        usleep(milliseconds * 1000)
        if fixture.pluginHarness.fault != nil { throw crashed() }
    }

    func end() throws(Verdict) { try fixture.end() }

    /// Ends a filter that touches no frame any more.
    func endKeepingToPlanes() throws(Verdict) {
        do throws(Verdict) {
            try end()
        } catch {
            guard let fault = fixture.process.fault, watch?.offset(of: fault.address) != nil else {
                throw error
            }
            throw .hindered(by: "pre-processor.planes", "crashes")
        }
    }

    /// The verdict on a crash: another check's, if that one sees it too.
    private func crashed() -> Verdict {
        let verdict = fixture.crash()
        crash = verdict
        guard isTrial || isGuarded || !FilterSizes.crashes(examination, at: row) else {
            return .hindered(by: "pre-processor.sizes", "crashes")
        }
        return verdict
    }
}

/// Measures a call of another process.
struct TimeMeter {
    private let process: Int32
    private let editingThread: Int32?
    private var start = (time: Int64(0), run: Int64(0), delay: Int64(0))

    /// - Parameter editingThread: The thread of this process that hands over frames.
    init(process: Int32, editingThread: Int32?) {
        self.process = process
        self.editingThread = editingThread
    }

    mutating func begin() {
        // Read the time last here and first at the end, to exclude the reads.
        let (run, delay) = (run, delay)
        start = (MonotonicClock.now, run, delay)
    }

    func end() -> FilterLife.Times {
        let time = MonotonicClock.now - start.time
        let waited = max(delay - start.delay, 0)
        let ran = max(run - start.run, 0)
        // Threads that wait at the same time count twice, but all processors together do no more
        // than this.
        let least = ran / greenroom_processor_count()
        return FilterLife.Times(run: ran, taken: max(time - waited, least), delay: waited)
    }

    /// The process's processor time.
    private var run: Int64 {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            return 0
        }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The time that threads on a frame's path, in both processes, waited for a processor.
    private var delay: Int64 {
        let own = [greenroom_thread_number(), editingThread]
        return ProcessLoad(of: process) { _, name in name != "greenroom-watch" }.delayNanoseconds
            + ProcessLoad(of: getpid()) { thread, _ in own.contains(thread) }.delayNanoseconds
    }
}

/// The sizes to try filters at.
enum FilterSizes {
    /// The rows of sessions.
    static let table = CapabilityTable.standard.rows
    /// Sizes with odd chroma, padded rows, and the minimum.
    static let unfamiliar = [
        (1919, 1079), (853, 479), (641, 361), (352, 241), (127, 95), (3, 3), (2, 2), (1, 1),
    ].map { VideoCapability(width: $0.0, height: $0.1, fps: 15) }
    /// The content for each size.
    static let contents: [FilterFrame.Content] = [.noise, .slope, .black]

    /// Whether a filter crashes at a size when nothing observes it.
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
    /// The interval between frames, in nanoseconds.
    var intervalNanoseconds: Int64 {
        1_000_000_000 * Int64(rate.denominator) / Int64(rate.numerator)
    }
}
