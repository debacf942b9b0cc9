/// The times of a video's packets, if the video has B-frames.
///
/// A sender sends such a video in the order of decoding, and audio beside the frame that is due next. A frame
/// that others precede leaves ahead of its time. A jitter buffer expects packets in the order of their
/// timestamps: it takes the frames ahead for the ones that the network has not delayed, and the times
/// drift. Here the frames that are due when they are sent give the time.
package struct FrameTimes: Sendable {
    /// As many frames have one among them that is due when it is sent.
    private static let groupLength = 16
    /// The network delays some groups; the least delayed of the last ones counts.
    private static let mostGroups = 8
    /// As many frames of a group step back: one may be a fault.
    private static let fewestSteps = 3
    /// A step as long as 2 s begins another stream.
    private static let longestStep: Int64 = 180_000

    /// Whether the video has B-frames.
    package private(set) var isReordered = false
    /// The timestamp of the last packet, and without wrapping.
    private var last: UInt32?
    private var place: Int64 = 0
    private var latest: Int64 = 0
    /// The frames of the group, and how many of them step back.
    private var (count, steps) = (0, 0)
    /// The longest way of a frame of the group, and of the groups before, on two clocks.
    private var longest: Int64?
    private var groups: [Int64] = []

    /// Begins with a stream in order.
    package init() { groups.reserveCapacity(Self.mostGroups + 1) }

    /// The time of a packet; the jitter buffer's as long as frames come in order.
    ///
    /// - Parameters:
    ///   - timestamp: The RTP timestamp, at 90 kHz.
    ///   - arrival: Now, in nanoseconds.
    ///   - label: The jitter buffer's time of the packet, on the same clock.
    package mutating func time(
        timestamp: UInt32, arrival: Int64, label: UInt64
    ) -> UInt64 {
        let step = Int64(Int32(bitPattern: timestamp &- (last ?? timestamp)))
        if last == nil || abs(step) > Self.longestStep {
            self = Self()
            take(arrival)
        } else if step != 0 {
            place += step
            take(arrival)
        }
        last = timestamp
        guard isReordered, let offset = groups.min() else { return label }
        return UInt64(
            clamping: Self.nanoseconds(place).addingReportingOverflow(offset).partialValue)
    }

    /// Takes a frame.
    private mutating func take(_ arrival: Int64) {
        if place < latest { steps += 1 }
        latest = max(latest, place)
        let way = arrival.subtractingReportingOverflow(Self.nanoseconds(place)).partialValue
        longest = max(longest ?? way, way)
        count += 1
        let isFirst = !isReordered && steps >= Self.fewestSteps
        if isFirst { isReordered = true }
        guard isFirst || count == Self.groupLength else { return }
        if let longest { groups.append(longest) }
        if groups.count > Self.mostGroups { groups.removeFirst() }
        (count, steps, longest) = (0, 0, nil)
    }

    private static func nanoseconds(_ place: Int64) -> Int64 {
        let (seconds, rest) = place.quotientAndRemainder(dividingBy: 90_000)
        return seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue
            &+ rest * 1_000_000_000 / 90_000
    }
}
