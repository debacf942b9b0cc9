import GreenroomMedia

/// Whether a camera does what it agreed to: the size, the rate, the newest offer. Each thing that it
/// does otherwise is found once.
///
/// The host adapts all of it. What an author learns here is why his picture is scaled, or jerks.
/// Times are nanoseconds on the session clock; nothing is allocated for a frame.
struct CapabilityCompliance: Sendable {
    /// Something that the author should know.
    enum Finding: Equatable, Sendable {
        /// A frame of an offer has another size than was agreed on for it.
        case otherSize(FrameSize, agreed: FrameSize)
        /// It sends less than half of the frames that it agreed on, as many a second.
        case slow(framesPerSecond: Double, agreed: FrameRate)
        /// It goes on with an old offer, though it has agreed on a new one.
        case oldOffer(UInt32, agreed: UInt32)

        /// What was seen, what becomes of it, and the cure.
        var text: String {
            switch self {
            case .otherSize(let size, let agreed):
                "it agreed on \(agreed) and sends \(size), which is scaled. Send what was agreed on, "
                    + "or answer GR_ANSWER_FIXED with what you make."
            case .slow(let rate, let agreed):
                "it agreed on \(agreed) frames a second and sends \(tenths(rate)); the last one is "
                    + "repeated. Send on an absolute schedule, or answer with a rate that you make."
            case .oldOffer(let revision, let agreed):
                "it agreed on offer \(agreed) and goes on with frames for offer \(revision), which "
                    + "are adapted. Follow the offer, or leave property_change out."
            }
        }
    }

    /// How long is counted before a rate is judged.
    private static let stretch: Int64 = 1_500_000_000

    private var agreed: (revision: UInt32, capability: VideoCapability)?
    /// When counting the frames began, and how many there were.
    private var counting: (since: Int64, frames: Int)?
    private var (hasOtherSize, isSlow, isOld) = (false, false, false)
    /// Whether the last stretch was slow: one alone may be a machine's that stood still.
    private var wasSlow = false

    /// Takes note of an agreement, which begins a new count.
    mutating func agreed(_ revision: UInt32, on capability: VideoCapability) {
        agreed = (revision, capability)
        counting = nil
    }

    /// Says that the source was started or stopped: no frame was due meanwhile.
    mutating func pause() { counting = nil }

    /// Takes note of a frame that came through.
    ///
    /// - Parameter isStale: Whether the grace time of its offer was over.
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

/// A number with one digit behind the point.
private func tenths(_ number: Double) -> String {
    let tenths = Int(min(max(number, 0), 1e6) * 10 + 0.5)
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
}
