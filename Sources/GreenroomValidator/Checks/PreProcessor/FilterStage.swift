import Glibc
import GreenroomConversion
import GreenroomHost
import GreenroomIsolation
import GreenroomLoading
import GreenroomMedia

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
    private var first: Bench?
    private var lives = 0

    init(_ examination: Examination) { self.examination = examination }

    /// Begins a life.
    ///
    /// - Parameters:
    ///   - row: The one row that its frames will have.
    ///   - watch: Guards its frames.
    /// - Returns: nil if it does not take that row.
    func begin(
        _ row: VideoCapability, guarded watch: LeaseWatch? = nil
    ) throws(Verdict) -> FilterLife? {
        let bench: Bench
        if let first {
            lives += 1
            bench = examination.bench(beside: first, number: lives, leases: watch)
        } else {
            bench = try examination.bench(leases: watch)
            first = bench
        }
        try bench.create()
        switch bench.rehearsal.initialize(bench.rehearsal.nextOffer(maximum: row)) {
        case .done: break
        case .refused: return nil
        case let end: throw bench.verdict(on: "initialize", end)
        }
        try bench.startSend()
        return FilterLife(bench, row, isGuarded: watch != nil)
    }

    /// Its process.
    var process: SharedProcess? { first?.process }
}

/// A life of a filter at one size.
final class FilterLife {
    let bench: Bench
    let row: VideoCapability
    private let isGuarded: Bool
    private var number = 0
    /// Where the planes of the newest frame lie in the frames' memory: it is the only one, and so in
    /// the first slot.
    private(set) var planes: [LeaseWatch.Plane] = []
    /// Whether it had a frame for longer than anything may take.
    private(set) var isLate = false
    /// What is written around frames.
    var padding: UInt8 = 0xA5

    init(_ bench: Bench, _ row: VideoCapability, isGuarded: Bool) {
        self.bench = bench
        self.row = row
        self.isGuarded = isGuarded
    }

    /// What a frame took.
    struct Times: Sendable {
        /// Time of all of its process's threads on a processor, in nanoseconds.
        var run: Int64
        /// From when it was handed over to when it came back, but for when a thread of either side
        /// waited for a processor, in nanoseconds.
        var taken: Int64
    }

    /// Has a frame edited.
    ///
    /// - Parameter measure: Gets what that took.
    func edit(
        _ picture: FilterPicture, measure: (Times) -> Void = { _ in }
    ) throws(Verdict) -> FilterStage.Edited {
        var before: UInt64 = 0
        var meter = TimeMeter(process: bench.process.process)
        let padding = isGuarded ? padding : nil
        let info = FrameInfo(
            color: picture.color, offerRevision: 1,
            ptsNanoseconds: bench.clock.now + Int64(number) * row.intervalNanoseconds)
        let edit = bench.rehearsal.edit(row.size, info: info) { frame in
            picture.fill(&frame, padding: padding, number: number)
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
        guard let edit else { throw .skipped("there is no memory for a frame of \(row.size)") }
        switch consume edit {
        case .late:
            isLate = true
            throw .hindered(by: "pre-processor.cost", "it has a frame for more than 2 s")
        case .returned(let frame, let status):
            if status == .gone, bench.process.evidence != nil { throw bench.crash() }
            measure(times)
            return FilterStage.Edited(
                status: status, before: before, after: frame.digest,
                spill: padding.flatMap { FilterSpill.first(in: frame, padding: $0) },
                changed: bench.record.edits.last?.changed ?? [])
        }
    }

    func end() throws(Verdict) { try bench.end() }
}

/// Measures what a call of another process took.
private struct TimeMeter {
    private let process: Int32
    private var start = (time: Int64(0), run: Int64(0), delay: Int64(0))

    init(process: Int32) { self.process = process }

    mutating func begin() { start = (MonotonicClock.now, run, delay) }

    func end() -> FilterLife.Times {
        let time = MonotonicClock.now - start.time
        return FilterLife.Times(
            run: max(run - start.run, 0), taken: max(time - max(delay - start.delay, 0), 0))
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

    /// How long it, and this one, were waiting for one.
    private var delay: Int64 {
        ProcessLoad(of: process).delayNanoseconds + ProcessLoad(of: getpid()).delayNanoseconds
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
}

extension VideoCapability {
    /// From a frame to the next, in nanoseconds.
    var intervalNanoseconds: Int64 {
        1_000_000_000 * Int64(rate.denominator) / Int64(rate.numerator)
    }
}
