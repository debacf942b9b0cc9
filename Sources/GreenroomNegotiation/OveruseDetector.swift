package import GreenroomMedia

/// What this machine sustains for one picture, measured while it runs.
///
/// Down fast: when the work for the picture takes nearly all of a thread, or half of it and frames
/// are dropped, for ``overloadNanoseconds``, the ceiling falls by a row of the picture's shape;
/// below the smallest the rate falls by a third, to a floor under which a picture is no video any
/// more. Up slowly: when the row above would leave room for ``reliefNanoseconds``, the last step is
/// taken back.
package struct OveruseDetector: Sendable {
    /// What was measured in a stretch of a second or so.
    package struct Period: Sendable {
        /// How long it was, in nanoseconds.
        package var nanoseconds: Int64
        /// How much of it the busiest thread of the picture worked, filters and conversions
        /// together, in nanoseconds.
        package var busyNanoseconds: Int64
        /// Frames worked on.
        package var frames: Int
        /// Frames dropped for newer ones because the work was not done in time.
        package var superseded: Int

        /// Makes a period.
        package init(nanoseconds: Int64, busyNanoseconds: Int64, frames: Int, superseded: Int) {
            self.nanoseconds = nanoseconds
            self.busyNanoseconds = busyNanoseconds
            self.frames = frames
            self.superseded = superseded
        }
    }

    /// The share of time that is too much.
    static let overloadShare = 0.9
    /// The share of time that is too much when frames are dropped, too. With less work than that
    /// it is the source that sends in bursts.
    static let lossShare = 0.5
    /// How long it must be too much, in nanoseconds, before the ceiling falls.
    static let overloadNanoseconds: Int64 = 2_000_000_000
    /// The share of time that the row above may take.
    static let reliefShare = 0.7
    /// How long it must take no more, in nanoseconds, before the ceiling rises.
    static let reliefNanoseconds: Int64 = 10_000_000_000

    private let rows: [VideoCapability]
    /// What was carried before each step down, and the ceiling of that step.
    private var steps: [(above: VideoCapability, ceiling: VideoCapability)] = []
    private var overloadedFor: Int64 = 0
    private var relievedFor: Int64 = 0

    /// Begins with a machine that sustains anything.
    package init(table: CapabilityTable) {
        rows = table.rows
    }

    /// The most that the machine sustains; nil if nothing shows a limit.
    package var ceiling: VideoCapability? { steps.last?.ceiling }

    /// Takes a measurement.
    ///
    /// - Parameters:
    ///   - period: What was measured. One in which no frame came tells nothing.
    ///   - track: What the picture carried meanwhile.
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
        // What a frame takes grows with its pixels.
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
        // A picture that is not down at the last step yet has its chance first.
        if let ceiling, !track.fits(under: ceiling) { return }
        guard let ceiling = nextBelow(track) else { return }
        steps.append((above: track, ceiling: ceiling))
    }

    private mutating func stepUp() {
        relievedFor = 0
        steps.removeLast()
    }

    /// The next row of the same shape; where there is none, the same size at two thirds of the
    /// rate; at the floor the next row of any shape; nil below them all.
    private func nextBelow(_ track: VideoCapability) -> VideoCapability? {
        let smaller = rows.filter { $0.size.area < track.size.area && $0.size.fits(in: track.size) }
            .map { VideoCapability(size: $0.size, rate: min($0.rate, track.rate)) }
        if let row = smaller.first(where: { $0.size.hasShape(of: track.size) }) { return row }
        let slower = Int(track.rate.framesPerSecond * 2 / 3)
        let rate = FrameRate(max(slower, Self.leastFramesPerSecond(at: track.size)))
        return rate < track.rate
            ? VideoCapability(size: track.size, rate: rate) : smaller.first
    }

    /// The floors of WebRTC's adaptation.
    private static func leastFramesPerSecond(at size: FrameSize) -> Int {
        switch size.area {
        case ...(320 * 240): 7
        case ...(480 * 270): 10
        default: 15
        }
    }
}

extension FrameSize {
    /// Whether its shape is another one's, give or take what rounding to whole pixels does.
    fileprivate func hasShape(of other: FrameSize) -> Bool {
        let (one, two) = (width * other.height, other.width * height)
        return abs(one - two) * 50 <= max(one, two)
    }
}
