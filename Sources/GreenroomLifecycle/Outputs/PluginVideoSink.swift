package import GreenroomConversion
package import GreenroomMedia
import GreenroomNegotiation
import GreenroomPluginInterface
package import GreenroomVideo

/// Passes the frames of a track to an output plugin.
///
/// A plugin with its own process receives frames in memory that the process maps. The track
/// converts frames into this memory; other frames, such as black frames and slates, are copied
/// there. A repeated frame is copied once.
package final class PluginVideoSink: VideoSink {
    /// A frame, and its copy in memory that the plugin's process can read.
    private struct Copy: ~Copyable, Sendable {
        var original: VideoFrame
        var copy: VideoFrame
    }

    /// The last frame.
    private struct Last: ~Copyable, Sendable {
        var copy: Copy?
        /// The life that received the frame; nil if none did.
        var life: Int?
        /// The allocator of copies; nil before the first copy.
        var frames: SharedFrames?
    }

    /// The most blocks for copies: of kept frames, the current frame and the previous frame.
    private static let blockLimit = 2

    package let pace: OutputPace
    package let allocator: (any FrameAllocator)?
    private let feed: OutputFeed
    private let instance: PluginInstance
    private let track: UInt32
    private let rate: FrameRate
    /// The start of the track, in nanoseconds after the session's start.
    private let start: Int64
    /// Safe: the branch's thread alone writes and finishes. A lock would be taken three times a frame.
    nonisolated(unsafe) private var last = Last()

    package init(
        _ feed: OutputFeed, _ instance: PluginInstance, track: UInt32, rate: FrameRate,
        start: Int64 = 0, isComplete: Bool
    ) {
        self.feed = feed
        self.instance = instance
        self.track = track
        self.rate = rate
        self.start = start
        allocator = instance.allocator
        pace = isComplete ? .asTheyCome : .onSchedule
    }

    package var plugin: Int { instance.number }

    package func write(_ frame: borrowing VideoFrame, for periods: FramePeriods) throws {
        guard !feed.hasLeft else {
            last = Last()
            guard !feed.hasFinished else {
                feed.count(.away, of: track)
                return
            }
            throw OutputError(place: feed.name, explanation: "the session continues without it.")
        }
        guard !feed.leavesOut(track) else {
            last = Last()
            feed.count(.away, of: track)
            return
        }
        let life = feed.life
        var periods = periods
        // A repeated frame is new to a plugin that has not received it.
        if periods.content == .repeated, last.life != life {
            periods.content = .new
        }
        let place = OutputFeed.FramePlace(
            track: track, periods: periods,
            ptsNanoseconds: feed.epoch + start + rate.dueNanoseconds(ofFrame: periods.first))
        let isReadable = allocator == nil || frame.isInSharedMemory
        let result: OutputFeed.Result
        if isReadable {
            result = instance.take(frame, place)
        } else {
            guard let copy = try copy(of: frame) else {
                last.life = nil
                feed.count(.noBuffer, of: track)
                return
            }
            result = instance.take(copy, place)
        }
        if case .status = result { last.life = life } else { last.life = nil }
        if isReadable { last.copy = nil }
        feed.count(result, of: track)
    }

    package func finish() throws { last = Last() }

    /// A reference to the copy of a frame; nil if there is no memory.
    private func copy(of frame: borrowing VideoFrame) throws -> VideoFrame? {
        if let copy = last.copy.take(), copy.original.hasSamePixels(as: frame) {
            let shared = copy.copy.share()
            last.copy = consume copy
            return shared
        }
        if last.frames == nil { last.frames = allocator.map { SharedFrames($0) } }
        guard
            let block = last.frames?.block(
                for: frame.format, frame.size, limit: Self.blockLimit),
            let made = try frame.copy(into: block)
        else { return nil }
        let shared = made.share()
        last.copy = Copy(original: frame.share(), copy: made)
        feed.countCopied(of: track)
        return shared
    }
}
