import GreenroomConversion
import GreenroomMedia

@testable import GreenroomModel
@testable import GreenroomVideo

/// A branch in simulated time: the queue and the writer of a real one, without its thread.
struct SimulatedBranch {
    /// A frame of a source, in milliseconds.
    struct Frame {
        var comes: Double
        var shows: Double

        init(_ time: Double) { (comes, shows) = (time, time) }

        init(comes: Double, shows: Double) { (self.comes, self.shows) = (comes, shows) }
    }

    /// The output.
    struct Result: Equatable {
        /// The number of each period's frame, from 100; 16 is black, 34 a slate.
        var periods: [UInt8] = []
        /// When each period was written, in nanoseconds.
        var departures: [Int64] = []
        var counts: [Int] = []

        var delivered: Int { counts[0] }
        var delayed: Int { counts[1] }
        var repeated: Int { counts[2] }
        var black: Int { counts[3] }
        var excess: Int { counts[4] }
        var afterEnd: Int { counts[7] }
        var slate: Int { counts[8] }

        /// The number of periods between new frames.
        var steps: [Int] {
            let changes = periods.indices.filter { $0 == 0 || periods[$0] != periods[$0 - 1] }
            return zip(changes.dropFirst(), changes).map { $0 - $1 }
        }
    }

    private enum Event {
        case frame(Frame)
        case black
        case slate
    }

    struct Failure: Error {
        var text: String
    }

    var pace: OutputPace
    var rate = FrameRate(30)
    /// The session's length, in milliseconds.
    var duration: Double
    /// When black is requested, in milliseconds.
    var black: [Double] = []
    /// When the source is reported lost, in milliseconds.
    var lost: [Double] = []
    /// Whether the branch's thread runs first when both have work.
    var laneGoesFirst = false

    /// Runs frames with both orders of the threads.
    ///
    /// - Throws: A failure if the results differ, or frames and counters don't add up.
    func run(_ frames: [Frame]) throws -> Result {
        var first = self
        first.laneGoesFirst = true
        var last = self
        last.laneGoesFirst = false
        let results = (try first.runOnce(frames), try last.runOnce(frames))
        guard results.0 == results.1 else {
            let differ = zip(results.0.periods, results.1.periods).enumerated()
                .first { $1.0 != $1.1 }
            throw Failure(
                text: "the order of threads matters: \(results.0.counts), \(results.1.counts), "
                    + "first at \(differ.map { "\($0)" } ?? "no period")")
        }
        return results.0
    }

    private func runOnce(_ frames: [Frame]) throws -> Result {
        let end = Int64(duration * 1e6)
        let endSlot = rate.frameCount(inNanoseconds: end)
        let pool = FramePool(limit: BranchQueue.mostFramesInUse + 1)
        let size = FrameSize(width: 2, height: 2)
        let sink = CollectingSink(pace)
        var queue = BranchQueue(FrameRateConverter(rate: rate, pace: pace, endSlot: endSlot))
        var grid = TakingGrid(rate: rate)
        var writer = FrameRepeater(sink: sink, want: VideoWant(format: .i420), size: size)
        var result = Result()
        var isOver = false

        func work(at now: Int64) throws {
            while let turn = queue.turn(at: now) {
                switch consume turn {
                case .write(let item):
                    let isDelayed = item.isDelayed
                    queue.countWritten(try writer.write(item), isDelayed: isDelayed)
                case .fill(until: let end):
                    queue.countWritten(try writer.fill(until: end), isDelayed: false)
                case .end:
                    isOver = true
                    return
                }
            }
            let departed = sink.periods.count - result.departures.count
            result.departures += [Int64](repeating: now, count: departed)
        }

        guard
            let slate = Slate(.lost(.camera), VideoWant(format: .i420, size: size), size: size)
        else { throw Failure(text: "no slate") }
        var events = frames.enumerated().map { (Int64($1.comes * 1e6), $0, Event.frame($1)) }
        events += black.map { (Int64($0 * 1e6), .max - 1, .black) }
        events += lost.map { (Int64($0 * 1e6), .max, .slate) }
        events.sort { ($0.0, $0.1) < ($1.0, $1.1) }
        for (index, (time, number, event)) in events.enumerated() {
            while let wake = queue.wake, wake < time { try work(at: wake) }
            if laneGoesFirst { try work(at: time) }
            switch event {
            case .frame(let frame):
                if let claim = queue.claim(grid.take(Int64(frame.shows * 1e6)), at: time) {
                    queue.push(try numberedFrame(100 + number, from: pool, .i420, size), claim)
                }
            case .black: queue.showBlack(from: grid.point(at: time))
            case .slate:
                queue.show(slate.frame.share(), slate.text, from: grid.point(at: time))
            }
            // All events of one time precede the branch, or the branch follows each.
            let isLast = index + 1 == events.count || events[index + 1].0 > time
            if laneGoesFirst || isLast { try work(at: time) }
        }
        while let wake = queue.wake, wake < end { try work(at: wake) }
        try work(at: max(end, events.last?.0 ?? 0))
        queue.finish(endSlot: endSlot)
        while !isOver { try work(at: queue.wake ?? end) }

        let counts = queue.counts
        guard counts.frames == frames.count, counts.queued == 0,
            counts.periods == sink.periods.count
        else { throw Failure(text: "\(counts) of \(frames.count), \(sink.periods.count)") }
        result.periods = sink.periods
        result.counts = [
            counts.delivered, counts.delayed, counts.repeated, counts.black, counts.excess,
            counts.queueFull, counts.beforeStart, counts.afterEnd, counts.slate,
        ]
        return result
    }
}
