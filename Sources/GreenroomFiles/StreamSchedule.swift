package import GreenroomMedia

/// The due times of the frames of a stream: at their rate from the first one on. A frame that arrives more than
/// an interval late is due at once, and the later ones follow it: a live stream's clock is not the session's.
///
/// It has no clock: times are arguments, in nanoseconds on the session clock.
package struct StreamSchedule {
    private let rate: FrameRate
    /// The frame that the others follow, and when it was due.
    private var anchor: (index: Int64, time: Int64)?
    private var next: Int64 = 0

    package init(rate: FrameRate) { self.rate = rate }

    /// The time of the next frame.
    ///
    /// - Parameter now: The arrival time of the frame.
    package mutating func due(arriving now: Int64) -> Int64 {
        defer { next += 1 }
        if let anchor {
            let (due, overflow) = anchor.time.addingReportingOverflow(
                rate.dueNanoseconds(ofFrame: next - anchor.index))
            if !overflow, now - due <= rate.dueNanoseconds(ofFrame: 1) { return due }
        }
        anchor = (next, now)
        return now
    }
}
