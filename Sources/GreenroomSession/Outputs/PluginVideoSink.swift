package import GreenroomConversion
package import GreenroomMedia
import GreenroomNegotiation
import GreenroomPluginInterface
package import GreenroomVideo
import Synchronization

/// Passes the frames of a track to an output plugin.
///
/// A plugin in a process of its own gets a copy in memory that its process maps. A frame that is
/// repeated is copied once.
package final class PluginVideoSink: VideoSink {
    /// A frame, and its copy in the plugin's memory.
    private struct Copy: ~Copyable, Sendable {
        var original: VideoFrame
        var copy: VideoFrame
    }

    /// The last frame.
    private struct Last: ~Copyable, Sendable {
        var copy: Copy?
        /// The life that got it; nil if none did.
        var life: Int?
    }

    package let pace: OutputPace
    private let feed: OutputFeed
    private let instance: PluginInstance
    private let track: UInt32
    private let rate: FrameRate
    /// The start of the track, in nanoseconds from that of the session.
    private let start: Int64
    /// Used by the branch's thread alone; the lock satisfies the compiler, and is never contended.
    private let last = Mutex(Last())

    package init(
        _ feed: OutputFeed, _ instance: PluginInstance, track: UInt32, rate: FrameRate,
        start: Int64 = 0, isComplete: Bool
    ) {
        self.feed = feed
        self.instance = instance
        self.track = track
        self.rate = rate
        self.start = start
        pace = isComplete ? .asTheyCome : .onSchedule
    }

    package var plugin: Int { instance.number }

    package func write(_ frame: borrowing VideoFrame, for periods: FramePeriods) throws {
        guard !feed.hasLeft else {
            last.withLock { $0 = Last() }
            guard !feed.hasFinished else {
                feed.count(.away, of: track)
                return
            }
            throw OutputError(place: feed.name, explanation: "the session continues without it.")
        }
        let life = feed.life
        var periods = periods
        // A repeated frame is new to a plugin that has not got it.
        if periods.content == .repeated, last.withLock({ $0.life }) != life {
            periods.content = .new
        }
        let place = OutputFeed.FramePlace(
            track: track, periods: periods,
            ptsNanoseconds: feed.epoch + start + rate.dueNanoseconds(ofFrame: periods.first))
        var status: Status?
        if let pool = instance.editingPool {
            let shared: VideoFrame? = try last.withLock { last in
                try Self.copy(frame, into: pool, &last.copy)
            }
            guard let shared else {
                last.withLock { $0.life = nil }
                feed.count(.noBuffer, of: track)
                return
            }
            status = instance.take(shared, place)
        } else {
            status = instance.take(frame, place)
        }
        last.withLock { $0.life = status == nil ? nil : life }
        feed.count(OutputFeed.Result(status), of: track)
    }

    package func finish() throws { last.withLock { $0 = Last() } }

    /// A reference to the copy of a frame in a pool; nil if the pool has no room.
    private static func copy(
        _ frame: borrowing VideoFrame, into pool: FramePool, _ last: inout Copy?
    ) throws -> VideoFrame? {
        if let copy = last.take() {
            if copy.original.hasSamePixels(as: frame), pool.owns(copy.copy) {
                let shared = copy.copy.share()
                last = consume copy
                return shared
            }
        }
        guard let made = try frame.copy(into: pool) else { return nil }
        let shared = made.share()
        last = Copy(original: frame.share(), copy: made)
        return shared
    }
}
