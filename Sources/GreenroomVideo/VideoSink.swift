package import GreenroomConversion

/// Takes the frames of one branch.
package protocol VideoSink: AnyObject, Sendable {
    /// When frames are written.
    var pace: OutputPace { get }

    /// The number of the plugin whose code it runs; -1 for none. A virtual clock does not wait for
    /// one that hangs.
    var plugin: Int { get }

    /// Takes a frame for one or more periods of the branch's rate. [the branch's thread]
    ///
    /// - Throws: When the output failed; it gets no more frames.
    func write(_ frame: borrowing VideoFrame, for periods: FramePeriods) throws

    /// Ends the output. [the branch's thread]
    func finish() throws
}

extension VideoSink {
    package var plugin: Int { -1 }
}

/// Successive periods of an output with the same picture.
package struct FramePeriods: Equatable, Sendable {
    /// What the picture is. Raw values are those of `GR_CONTENT_…`.
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
    /// What the picture is, in the first period; a new frame is repeated in the others.
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

/// Sees the frames of a track, after the filters of a camera.
package protocol VideoTap: AnyObject, Sendable {
    /// Takes a frame; never waits. [the track's thread]
    func show(_ frame: consuming VideoFrame)
}
