import GreenroomConversion

/// Where the frames of one lane end.
protocol VideoSink: AnyObject, Sendable {
    /// Takes a frame for one or more periods of the lane's rate. [the lane's thread]
    ///
    /// - Throws: When the output has failed; it gets no frame after that.
    func write(_ frame: borrowing VideoFrame, times: Int) throws

    /// Ends the output. [the lane's thread]
    func finish() throws
}
