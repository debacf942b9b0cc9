import GreenroomModel
import GreenroomHarness
import GreenroomNegotiation
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

/// The offers to a plugin, and the agreement for each.
///
/// Threads: the check's own thread.
final class OfferLog {
    /// The required properties of an offer's frames.
    struct Agreed: Equatable {
        var capability: VideoCapability
        /// The maximum size of a share; nil if frames must have exactly the agreed size.
        var limit: FrameSize?

        /// Whether a frame's size is allowed.
        func allows(_ frame: Record.Frame) -> Bool {
            let sizes = [frame.size, frame.size.rotated(by: frame.info.rotation)]
            return sizes.contains { size in
                if size == capability.size { return true }
                guard let limit else { return false }
                return size.width <= limit.width && size.height <= limit.height
            }
        }
    }

    /// A frame that does not match its offer's agreement.
    struct Mismatch {
        var frame: Record.Frame
        var agreed: Agreed

        /// The finding as text.
        var text: String {
            "a frame of \(frame.size) says that it was made for offer \(frame.info.offerRevision), "
                + "for which \(agreed.capability.size) was agreed on"
        }
    }

    let fixture: Fixture
    private(set) var agreed: [UInt32: Agreed] = [:]
    private(set) var newest: (revision: UInt32, agreed: Agreed)?

    init(_ fixture: Fixture) { self.fixture = fixture }

    /// Creates, initializes and starts the plugin.
    func begin(with offer: Offer?) throws(Verdict) {
        try fixture.create()
        try fixture.initialize(offer)
        if let offer { note(offer) }
        try fixture.startSend()
    }

    /// Makes an offer while the plugin sends.
    ///
    /// - Parameter accuser: The check that reports a crash; nil if the calling check.
    /// - Returns: The plugin's reply.
    func change(to offer: Offer, accuser: String? = "negotiation.change") throws(Verdict) -> Reply {
        let end = fixture.timed(.propertyChange) { $0.propertyChange(offer) }
        switch end {
        case .done: break
        case .lost:
            let crash = fixture.crash()
            throw accuser.map { crash.unless($0) } ?? crash
        case .hangs:
            throw fixture.verdict(on: "property_change", end).unless("lifecycle.callbacks-in-time")
        default: throw fixture.ordinary(.propertyChange, end, as: "property_change")
        }
        note(offer)
        return fixture.pluginHarness.reply(to: offer.revision) ?? .ignored
    }

    /// Records the agreement on an offer. Without a new agreement, records the previous one.
    func note(_ offer: Offer) {
        guard let agreement = fixture.pluginHarness.agreement else { return }
        var isFixed = false
        if case .fixed = agreement.answer { isFixed = true }
        let isOpen = fixture.kind.offerRule == .upTo && !isFixed
        let now = Agreed(
            capability: agreement.source, limit: isOpen ? offer.rows.first?.size : nil)
        agreed[offer.revision] = now
        newest = (offer.revision, now)
    }

    /// The first frame that does not match its offer's agreement.
    var mismatch: Mismatch? {
        for frame in fixture.record.frames {
            guard let agreed = agreed[frame.info.offerRevision], !agreed.allows(frame) else {
                continue
            }
            return Mismatch(frame: frame, agreed: agreed)
        }
        return nil
    }
}

extension Examination {
    /// Runs a check on the virtual clock, or on the real clock if the plugin does not use the
    /// session clock.
    func talksOnItsClock(_ look: (OfferLog) throws(Verdict) -> Verdict) throws(Verdict) -> Verdict {
        try onItsClock { fixture throws(Verdict) in try look(OfferLog(fixture)) }
    }
}
