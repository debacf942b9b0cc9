import GreenroomHarness
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let manyChanges = Check(
        "negotiation.many-changes", "fifty changes in a second", of: .videoSources,
        rule: "A plugin survives fifty changes in a second.",
        why: "Networks and windows change fast, and each change can be an offer.",
        measured: """
            Fifty offers of sizes in random order within a second of session time. From a \
            second after the last one, all frames must match the last agreement.
            """,
        fix: "Store only the newest agreement, under a lock."
    ) { examination throws(Verdict) in
        var random = examination.random()
        return try examination.talksOnItsClock { offers throws(Verdict) in
            let (fixture, pluginHarness) = (offers.fixture, offers.fixture.pluginHarness)
            let ceilings = [
                (640, 360), (320, 180), (480, 270), (424, 320), (858, 480),
            ].map { VideoCapability(width: $0.0, height: $0.1, fps: 15) }
            try offers.begin(with: pluginHarness.nextOffer(ceiling: ceilings[0]))
            try fixture.wait(seconds: 0.5)
            // `negotiation.change` checks a single change.
            if let hindrance = try follows(offers, ceilings[1]) { return hindrance }
            var last = ceilings[1]
            for _ in 0..<50 {
                last = ceilings.filter { $0 != last }.randomElement(using: &random) ?? last
                guard let offer = pluginHarness.nextOffer(ceiling: last) else { continue }
                _ = try offers.change(to: offer)
                try fixture.wait(seconds: 0.02)
            }
            try fixture.wait(seconds: 1.1)
            let before = fixture.record.frames.count
            try fixture.wait(seconds: 1)
            if let mismatch = offers.mismatch {
                return .failed(
                    "after 50 offers in a second, \(mismatch.text): change size and "
                        + "revision together"
                ).unless("negotiation.revision-geometry")
            }
            let frames = fixture.record.frames[before...]
            if let newest = offers.newest,
                let old = frames.first(where: { $0.info.offerRevision != newest.revision })
            {
                return .failed(
                    "a second after the last of 50 offers in a second, \(old.size) for offer "
                        + "\(old.info.offerRevision) still arrives, though it had agreed to "
                        + "\(newest.agreed.capability) for offer \(newest.revision): what was "
                        + "offered last goes"
                ).unless("negotiation.change")
            }
            try fixture.end()
            return .passed()
        }
    }

    /// The verdict if the plugin does not follow a single change; nil if it does.
    private static func follows(
        _ offers: OfferLog, _ ceiling: VideoCapability
    ) throws(Verdict) -> Verdict? {
        guard let offer = offers.fixture.pluginHarness.nextOffer(ceiling: ceiling) else {
            return nil
        }
        switch try offers.change(to: offer) {
        case .answered: return nil
        case .ignored: return .passed("takes no new offers: the host adapts its frames")
        case .refused(.badAnswer, let text):
            return .hindered(by: "negotiation.answer-in-offer", text)
        case .refused(let status, _):
            return .passed("answers \(status) to a new offer: the host adapts its frames")
        }
    }
}
