import GreenroomMedia

/// Checks whether a camera keeps its agreement: the size, the rate, the newest offer. Reports each
/// deviation once.
///
/// The host adapts all of them; the report tells the author why the video is scaled or uneven.
/// Times are nanoseconds on the session clock; nothing is allocated for a frame.
struct CapabilityCompliance: Sendable {
    /// A deviation, for the author.
    enum Finding: Equatable, Sendable {
        /// A frame has another size than its offer's agreement.
        case otherSize(FrameSize, agreed: FrameSize)
        /// The source sends less than half of the agreed frame rate.
        case slow(framesPerSecond: Double, agreed: FrameRate)
        /// The source uses an old offer, although it agreed to a new one.
        case oldOffer(UInt32, agreed: UInt32)

        /// The finding, its effect and the fix.
        var text: String {
            switch self {
            case .otherSize(let size, let agreed):
                "agreed on \(agreed), but sends \(size); the host scales it. Send the agreed size, "
                    + "or answer GR_ANSWER_FIXED with what you make."
            case .slow(let rate, let agreed):
                "agreed on \(agreed) frames/s, but sends \(tenths(rate)); the last frame is "
                    + "repeated. Send on an absolute schedule, or answer with a rate that you make."
            case .oldOffer(let revision, let agreed):
                "agreed on offer \(agreed), but sends frames for offer \(revision), which "
                    + "are adapted. Follow the offer, or leave property_change out."
            }
        }
    }

    /// The period for measuring a rate.
    private static let stretch: Int64 = 1_500_000_000

    private var agreed: (revision: UInt32, capability: VideoCapability)?
    /// The start of counting, and the number of frames since.
    private var counting: (since: Int64, frames: Int)?
    private var (hasOtherSize, isSlow, isOld) = (false, false, false)
    /// Whether the last period was slow. The machine may cause a single slow period.
    private var wasSlow = false

    /// Records an agreement, and restarts counting.
    mutating func agreed(_ revision: UInt32, on capability: VideoCapability) {
        agreed = (revision, capability)
        counting = nil
    }

    /// Stops counting, because a started or stopped source owed no frames meanwhile.
    mutating func pause() { counting = nil }

    /// Records an accepted frame.
    ///
    /// - Parameter isStale: Whether the grace time of the frame's offer has ended.
    mutating func took(
        _ size: FrameSize, _ info: FrameInfo, isStale: Bool, at now: Int64
    ) -> Finding? {
        guard let agreed else { return nil }
        if isStale, !isOld {
            isOld = true
            return .oldOffer(info.offerRevision, agreed: agreed.revision)
        }
        if info.offerRevision == agreed.revision, !hasOtherSize,
            size != agreed.capability.size,
            size.rotated(by: info.rotation) != agreed.capability.size
        {
            hasOtherSize = true
            return .otherSize(size, agreed: agreed.capability.size)
        }
        return rateFinding(agreed.capability.rate, at: now)
    }

    private mutating func rateFinding(_ rate: FrameRate, at now: Int64) -> Finding? {
        guard let begun = counting else {
            counting = (now, 0)
            return nil
        }
        let (elapsed, frames) = (now - begun.since, begun.frames + 1)
        guard elapsed >= Self.stretch else {
            counting = (begun.since, frames)
            return nil
        }
        counting = (now, 0)
        let seen = Double(frames) * 1e9 / Double(elapsed)
        let isSlowNow = seen * 2 < rate.framesPerSecond
        defer { wasSlow = isSlowNow }
        guard isSlowNow, wasSlow, !isSlow else { return nil }
        isSlow = true
        return .slow(framesPerSecond: seen, agreed: rate)
    }
}

/// A number with one decimal.
private func tenths(_ number: Double) -> String {
    let tenths = Int(min(max(number, 0), 1e6) * 10 + 0.5)
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
}
