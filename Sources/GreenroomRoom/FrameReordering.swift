/// How much too early a jitter buffer labels the frames of a video with B-frames.
///
/// A sender sends the video in the order of decoding, and audio beside the frame that is due next. A frame
/// that others precede leaves ahead of its time; a jitter buffer takes it for the frame that the network has
/// not delayed, and labels all frames by it.
package struct FrameReordering: Sendable {
    /// The most that is corrected, in nanoseconds.
    private static let longest: UInt64 = 500_000_000
    private static let mostRecent = 16
    /// As many frames have to step back: one may be a timestamp that was corrected.
    private static let fewest = 3

    /// In nanoseconds; it never becomes less.
    package private(set) var lead: UInt64 = 0
    /// The labels of the last frames, in the order of decoding.
    private var recent: [UInt64] = []

    /// Begins with a stream in order.
    package init() { recent.reserveCapacity(Self.mostRecent + 1) }

    /// Takes the label of the next frame in the order of decoding, in nanoseconds.
    package mutating func add(_ label: UInt64) {
        if let latest = recent.max(), max(latest, label) - min(latest, label) > 2 * Self.longest {
            // The stream begins anew.
            recent.removeAll(keepingCapacity: true)
        }
        recent.append(label)
        if recent.count > Self.mostRecent { recent.removeFirst() }
        guard let latest = recent.max(), label < latest, countOfSteps >= Self.fewest else { return }
        let period = period
        for (place, earlier) in recent.enumerated() where earlier > label {
            // It was sent so many frames before this one, which is due now.
            let frames = UInt64(recent.count - 1 - place)
            let ahead = (earlier - label).addingReportingOverflow(frames &* period).partialValue
            lead = max(lead, min(ahead, Self.longest))
        }
    }

    /// How many of the last frames come after a frame with a later label.
    private var countOfSteps: Int {
        var (latest, count): (UInt64, Int) = (0, 0)
        for label in recent {
            if label < latest { count += 1 }
            latest = max(latest, label)
        }
        return count
    }

    /// The usual time between two frames: a few labels may be off.
    private var period: UInt64 {
        let sorted = recent.sorted()
        let gaps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }.sorted()
        return gaps.isEmpty ? 0 : gaps[gaps.count / 2]
    }
}
