package import GreenroomConversion

/// Takes the frames of one branch.
package protocol VideoSink: AnyObject, Sendable {
    /// When frames are written.
    var pace: OutputPace { get }

    /// Takes a frame for one or more periods of the branch's rate. [the branch's thread]
    ///
    /// - Throws: When the output failed; it gets no more frames.
    func write(_ frame: borrowing VideoFrame, times: Int) throws

    /// Ends the output. [the branch's thread]
    func finish() throws
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
