package import GreenroomMedia

/// Measures the capability that this machine sustains for one video track.
///
/// Down fast: if the work takes nearly all of a thread, or half of it while frames are dropped, for
/// ``overloadNanoseconds``, the ceiling falls to the next row with the same aspect ratio. Below the
/// smallest row the rate falls by a third, down to a floor for usable video. Up slowly: if the
/// previous step would leave room for ``reliefNanoseconds``, the last step is undone.
package struct OveruseDetector: Sendable {
    /// A measurement over about a second.
    package struct Period: Sendable {
        /// The length of the period, in nanoseconds.
        package var nanoseconds: Int64
        /// Working time of the track's busiest thread, filters and conversions included, in
        /// nanoseconds.
        package var busyNanoseconds: Int64
        /// Frames processed.
        package var frames: Int
        /// Frames dropped for newer ones because processing was late.
        package var superseded: Int

        /// Makes a period.
        package init(nanoseconds: Int64, busyNanoseconds: Int64, frames: Int, superseded: Int) {
            self.nanoseconds = nanoseconds
            self.busyNanoseconds = busyNanoseconds
            self.frames = frames
            self.superseded = superseded
        }
    }

    /// The load that counts as overload.
    static let overloadShare = 0.9
    /// The load that counts as overload while frames are dropped. Below it the source sends in
    /// bursts.
    static let lossShare = 0.5
    /// Duration of overload before the ceiling falls, in nanoseconds.
    static let overloadNanoseconds: Int64 = 2_000_000_000
    /// Limit of the predicted load before the ceiling rises.
    static let reliefShare = 0.7
    /// Duration of a predicted load below `reliefShare` before the ceiling rises, in nanoseconds.
    static let reliefNanoseconds: Int64 = 10_000_000_000

    private let rows: [VideoCapability]
    /// For each step down: the capability before it, and its ceiling.
    private var steps: [(above: VideoCapability, ceiling: VideoCapability)] = []
    private var overloadedFor: Int64 = 0
    private var relievedFor: Int64 = 0

    /// Starts without a ceiling.
    package init(table: CapabilityTable) {
        rows = table.rows
    }

    /// The capability that the machine sustains; nil without a known limit.
    package var ceiling: VideoCapability? { steps.last?.ceiling }

    /// Adds a measurement.
    ///
    /// - Parameters:
    /// - period: The measurement. A period without frames is ignored.
    /// - track: The track's capability during the period.
    package mutating func add(_ period: Period, carrying track: VideoCapability) {
        guard period.frames > 0 || period.superseded > 0, period.nanoseconds > 0 else { return }
        let share = Double(period.busyNanoseconds) / Double(period.nanoseconds)
        let isOverloaded =
            share > Self.overloadShare || period.superseded > 0 && share > Self.lossShare
        guard !isOverloaded else {
            relievedFor = 0
            overloadedFor += period.nanoseconds
            if overloadedFor >= Self.overloadNanoseconds { stepDown(from: track) }
            return
        }
        overloadedFor = 0
        guard let above = steps.last?.above else { return }
        // The work per frame grows with the number of pixels.
        let perFrame = Double(period.busyNanoseconds) / Double(max(period.frames, 1)) / 1e9
        let scale = Double(above.size.area) / Double(max(track.size.area, 1))
        guard perFrame * scale * above.rate.framesPerSecond < Self.reliefShare else {
            relievedFor = 0
            return
        }
        relievedFor += period.nanoseconds
        if relievedFor >= Self.reliefNanoseconds { stepUp() }
    }

    private mutating func stepDown(from track: VideoCapability) {
        overloadedFor = 0
        // The track has not followed the last step yet, so wait.
        if let ceiling, !track.fits(under: ceiling) { return }
        guard let ceiling = nextBelow(track) else { return }
        steps.append((above: track, ceiling: ceiling))
    }

    private mutating func stepUp() {
        relievedFor = 0
        steps.removeLast()
    }

    /// The next row with the same aspect ratio; without one, the same size at two thirds of the
    /// rate; at the rate's floor, the next row of any aspect ratio; nil below all.
    private func nextBelow(_ track: VideoCapability) -> VideoCapability? {
        let smaller = rows.filter { $0.size.area < track.size.area && $0.size.fits(in: track.size) }
            .map { VideoCapability(size: $0.size, rate: min($0.rate, track.rate)) }
        if let row = smaller.first(where: { $0.size.hasShape(of: track.size) }) { return row }
        let slower = Int(track.rate.framesPerSecond * 2 / 3)
        let rate = FrameRate(max(slower, Self.leastFramesPerSecond(at: track.size)))
        return rate < track.rate
            ? VideoCapability(size: track.size, rate: rate) : smaller.first
    }

    /// The rate floors of WebRTC's adaptation.
    private static func leastFramesPerSecond(at size: FrameSize) -> Int {
        switch size.area {
        case ...(320 * 240): 7
        case ...(480 * 270): 10
        default: 15
        }
    }
}

extension FrameSize {
    /// Whether the aspect ratio is equal, within rounding to whole pixels.
    fileprivate func hasShape(of other: FrameSize) -> Bool {
        let (one, two) = (width * other.height, other.width * height)
        return abs(one - two) * 50 <= max(one, two)
    }
}
