/// The times of a video's packets, if the video has B-frames.
///
/// A sender sends such a video in decoding order, and audio beside the frame that is due next. A
/// frame that refers to later frames leaves after them, so those leave ahead of their time. A
/// jitter buffer expects packets in the order of their timestamps: it treats the early frames as
/// undelayed by the network, and the times drift. This type derives the time from the frames that
/// are due when they are sent.
package struct FrameTimes: Sendable {
    /// The number of frames in a group. At least one frame of a group is due when it is sent.
    private static let groupLength = 16
    /// The number of groups to keep. The network delays some groups, so the least delayed group
    /// counts.
    private static let mostGroups = 8
    /// The number of backward steps in a group that shows B-frames. A single step may be a fault.
    private static let fewestSteps = 3
    /// The longest step within a stream, in units of 1/90,000 s: 2 s. A longer step begins another
    /// stream.
    private static let longestStep: Int64 = 180_000

    /// Whether the video has B-frames.
    package private(set) var isReordered = false
    /// The timestamp of the last packet. `place` is the same without wrapping.
    private var last: UInt32?
    private var place: Int64 = 0
    private var latest: Int64 = 0
    /// The number of frames in the group, and of their backward steps.
    private var (count, steps) = (0, 0)
    /// The longest transit time of a frame in the group, and in each earlier group, between two
    /// clocks.
    private var longest: Int64?
    private var groups: [Int64] = []

    /// Creates the times of a stream without B-frames.
    package init() { groups.reserveCapacity(Self.mostGroups + 1) }

    /// The time of a packet. While frames arrive in order, this is the jitter buffer's time.
    ///
    /// - Parameters:
    ///   - timestamp: The RTP timestamp, at 90 kHz.
    ///   - arrival: The current time, in nanoseconds.
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

    /// Adds a frame to the group.
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
