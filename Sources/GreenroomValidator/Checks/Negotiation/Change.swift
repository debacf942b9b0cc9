import GreenroomHarness
import GreenroomNegotiation
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let change = Check(
        "negotiation.change", "a change while sending, down and up", of: .videoSources,
        rule: "Frames follow a new agreement within a second, at no more than its rate.",
        why: """
            The host "counts frames for older offers as stale from one second after the \
            call has returned".
            """,
        measured: """
            From 1920x1080 at 30 fps to 640x360 at 15 fps and back. A plugin without \
            property_change, or that refuses, continues unchanged.
            """,
        fix: "Read the agreement before each frame."
    ) { examination throws(Verdict) in
        try examination.talksOnItsClock { offers throws(Verdict) in
            let (fixture, pluginHarness) = (offers.fixture, offers.fixture.pluginHarness)
            try offers.begin(with: pluginHarness.nextOffer())
            try fixture.wait(seconds: 1)
            let low = VideoCapability(width: 640, height: 360, fps: 15)
            for (name, ceiling) in [("down", low), ("up again", nil)] {
                guard let offer = pluginHarness.nextOffer(ceiling: ceiling) else { continue }
                let reply = try offers.change(to: offer, accuser: nil)
                if let verdict = verdict(on: reply) {
                    try fixture.end()
                    return verdict
                }
                try fixture.wait(seconds: 1.1)
                let before = fixture.record.frames.count
                try fixture.wait(seconds: 2)
                if fixture.hasGivenUp { break }
                if let mismatch = offers.mismatch {
                    return .hindered(by: "negotiation.revision-geometry", mismatch.text)
                }
                let frames = fixture.record.frames[before...]
                if let old = frames.first(where: { $0.info.offerRevision != offer.revision }) {
                    return .failed(
                        "\(old.size) for offer \(old.info.offerRevision) still comes more than a "
                            + "second after it has agreed to \(agreed(offers)) (\(name)): take the "
                            + "new size and revision over in property_change, or refuse it")
                }
                if let fault = tooFast(frames.count, offers, name) { return fault }
            }
            try fixture.end()
            return .passed()
        }
    }

    private static func agreed(_ offers: OfferLog) -> String {
        offers.newest.map { "\($0.agreed.capability)" } ?? "it"
    }

    /// The verdict if there is no agreement on the new offer; nil if there is.
    private static func verdict(on reply: Reply) -> Verdict? {
        switch reply {
        case .answered: nil
        case .ignored: .passed("takes no new offers: the host adapts its frames")
        case .refused(.badAnswer, let text):
            .hindered(by: "negotiation.answer-in-offer", text)
        case .refused(let status, let text):
            .passed("answers \(status) to a new offer (\(text)): the host adapts its frames")
        }
    }

    /// The verdict if more frames arrived in two seconds than agreed; nil otherwise.
    private static func tooFast(_ count: Int, _ offers: OfferLog, _ name: String) -> Verdict? {
        guard let rate = offers.newest?.agreed.capability.rate.framesPerSecond,
            Double(count) > 2 * rate * 1.05 + 2
        else { return nil }
        return .failed(
            "\(count) frames arrived in 2 s after it had agreed to \(agreed(offers)) (\(name)): take the "
                + "new rate over with the size")
    }
}
