package import GreenroomConversion

/// Takes the frames of one branch.
package protocol VideoSink: AnyObject, Sendable {
    /// When frames are written.
    var pace: OutputPace { get }

    /// The number of the plugin whose code it runs; -1 for none. A virtual clock does not wait for
    /// one that hangs.
    var plugin: Int { get }

    /// Whether it is part of a recording, which is incomplete if the sink fails.
    var isRecording: Bool { get }

    /// Whether it takes frames of another size than those before.
    var takesOtherSizes: Bool { get }

    /// The files of an output whose size has changed, one for each size, in order; empty if it has
    /// one size.
    var pieces: [OutputPiece] { get }

    /// Allocates the memory in which it takes frames without a copy; nil for any memory.
    var allocator: (any FrameAllocator)? { get }

    /// Takes a frame for one or more periods of the branch's rate. [the branch's thread]
    ///
    /// - Throws: When the output failed; it gets no more frames.
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
    /// Its size, such as `1280x720`.
    package var size: String
    /// The number of its first frame, counted from 0 over all files.
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
    /// As the output asks: another shape is fitted as it says.
    case asAsked
    /// That of the track's first agreement, since the output can't change it.
    case keepsFirst
    /// That of the track, in its shape.
    case follows
}

/// Successive periods of an output with the same frame.
package struct FramePeriods: Equatable, Sendable {
    /// What the frame shows. Raw values are those of `GR_CONTENT_…`.
    package enum Content: UInt32, Sendable {
        /// A frame of the source, for the first time.
        case new = 1
        /// The frame before once more.
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
    /// What the frame shows, in the first period; a new frame is repeated in the others.
    package var content: Content

    /// Describes periods.
    package init(first: Int64, count: Int, content: Content) {
        self.first = first
        self.count = count
        self.content = content
    }
}

/// When an output gets its frames.
package enum OutputPace: Sendable {
    /// As soon as they are there: files. Periods without a frame are filled before the next frame,
    /// or after a second.
    case asTheyCome
    /// Each at its time, ``SessionTimeline/playoutDelay`` after its period: for viewers. Periods
    /// without a frame repeat the one before.
    case onSchedule
}

/// Sees the frames of a track, after its filters.
package protocol VideoTap: AnyObject, Sendable {
    /// Takes a frame; never waits. [the track's thread]
    func show(_ frame: consuming VideoFrame)
}
