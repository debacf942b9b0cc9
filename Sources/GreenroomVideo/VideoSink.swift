package import GreenroomConversion

/// Where the frames of one branch end.
package protocol VideoSink: AnyObject, Sendable {
    /// When it wants its frames.
    var pace: OutputPace { get }

    /// Takes a frame for one or more periods of the branch's rate. [the branch's thread]
    ///
    /// - Throws: When the output has failed; it gets no frame after that.
    func write(_ frame: borrowing VideoFrame, times: Int) throws

    /// Ends the output. [the branch's thread]
    func finish() throws
}

/// When an output gets its frames.
package enum OutputPace: Sendable {
    /// As soon as they are there: files. Periods without a frame are filled before the next
    /// frame, or when a second has passed.
    case asTheyCome
    /// Each at its time, which is ``SessionTimeline/playoutDelay`` after that of its period: what
    /// somebody watches. Periods without a frame show the frame before.
    case onSchedule
}

/// Sees the frames of a track as they are, after the filters of a camera.
package protocol VideoTap: AnyObject, Sendable {
    /// Takes a frame; never waits. [the track's thread]
    func show(_ frame: consuming VideoFrame)
}
