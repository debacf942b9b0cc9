package import GreenroomConversion

/// Takes the frames of one branch.
package protocol VideoSink: AnyObject, Sendable {
    /// The schedule for writing frames.
    var pace: OutputPace { get }

    /// The number of the plugin whose code the sink runs; -1 if there is none. A virtual clock does
    /// not wait for a hung plugin.
    var plugin: Int { get }

    /// Whether the sink is part of a recording, which is incomplete if the sink fails.
    var isRecording: Bool { get }

    /// Whether the sink accepts frames of different sizes.
    var takesOtherSizes: Bool { get }

    /// The files of an output whose size has changed, one for each size, in order; empty if the
    /// output has one size.
    var pieces: [OutputPiece] { get }

    /// The allocator of memory from which the sink receives frames without a copy; nil to take any
    /// memory.
    var allocator: (any FrameAllocator)? { get }

    /// Takes a frame for one or more periods of the branch's rate. [the branch's thread]
    ///
    /// - Throws: An error if the output failed. The output then receives no further frames.
    func write(_ frame: borrowing VideoFrame, for periods: FramePeriods) throws

    /// Ends the output. [the branch's thread]
    func finish() throws
}

extension VideoSink {
    package var plugin: Int { -1 }
    package var isRecording: Bool { false }
    package var takesOtherSizes: Bool { false }
    package var pieces: [OutputPiece] { [] }
    package var allocator: (any FrameAllocator)? { nil }
}

/// A file of an output whose size has changed.
package struct OutputPiece: Codable, Sendable {
    /// The file.
    package var file: String
    /// The size of the file's frames, such as `1280x720`.
    package var size: String
    /// The number of the file's first frame, counted from 0 over all files.
    package var firstFrame: Int64

    /// Describes a file.
    package init(file: String, size: String, firstFrame: Int64) {
        self.file = file
        self.size = size
        self.firstFrame = firstFrame
    }
}

/// The size of an output's frames.
package enum OutputSizing: Sendable {
    /// The size that the output requests. The output's `fit` applies to other shapes.
    case asAsked
    /// The size of the track's first agreement, because the output cannot change its size.
    case keepsFirst
    /// The size of the track, in the track's shape.
    case follows
}

/// Successive periods of an output with the same frame.
package struct FramePeriods: Equatable, Sendable {
    /// The content of the frame. Raw values equal `GR_CONTENT_…`.
    package enum Content: UInt32, Sendable {
        /// A frame of the source, for the first time.
        case new = 1
        /// The previous frame again.
        case repeated = 2
        /// Black.
        case black = 3
        /// A slate.
        case slate = 4
    }

    /// The first period, from 0 at the start of the session.
    package var first: Int64
    /// The number of periods, at least 1.
    package var count: Int
    /// The content in the first period. A new frame is repeated in the following periods.
    package var content: Content

    /// Describes periods.
    package init(first: Int64, count: Int, content: Content) {
        self.first = first
        self.count = count
        self.content = content
    }
}

/// The schedule of an output's frames.
package enum OutputPace: Sendable {
    /// Frames are written as soon as they are available, for files. Periods without a frame are
    /// filled before the next frame, or after a second.
    case asTheyCome
    /// Each frame is written at its time, ``SessionTimeline/playoutDelay`` after its period, for
    /// viewers. Periods without a frame repeat the previous frame.
    case onSchedule
}

/// Receives the frames of a track, after the track's filters.
package protocol VideoTap: AnyObject, Sendable {
    /// Takes a frame; never waits. [the track's thread]
    func show(_ frame: consuming VideoFrame)
}
