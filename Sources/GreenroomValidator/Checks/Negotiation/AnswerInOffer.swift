import GreenroomModel
import GreenroomHarness
import GreenroomNegotiation
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let answerInOffer = Check(
        "negotiation.answer-in-offer", "the answer is in the offer", of: .videoSources,
        rule: """
            The answer is the suggestion, another row as a counter-offer, or \
            GR_ANSWER_FIXED with a legal size.
            """,
        why: "Otherwise, the session continues without the plugin (GR_STATUS_BAD_ANSWER).",
        measured: """
            Several offers at initialize and by property_change. Lower rates are allowed, \
            and smaller sizes for a share. A changed capability in GR_ANSWER_ACCEPT counts \
            as a counter-offer.
            """,
        fix: "Choose a row, or answer fixed."
    ) { examination throws(Verdict) in
        let maxima = [
            VideoCapability(width: 1920, height: 1080, fps: 30), .small,
            VideoCapability(width: 1280, height: 720, fps: 15),
            VideoCapability(width: 320, height: 240, fps: 10),
            VideoCapability(width: 3840, height: 2160, fps: 60),
        ]
        var advice: String?
        for (index, maximum) in maxima.enumerated() {
            let fixture = try examination.fixture()
            try fixture.create()
            guard let offer = fixture.pluginHarness.nextOffer(maximum: maximum) else {
                return .passed()
            }
            let end = fixture.make(.initialize, offer)
            if case .refused(.badAnswer, let text) = end {
                return .failed("in a session of \(maximum) \(text)")
            }
            if end != .done { return fixture.ordinary(.initialize, end) }
            if index == 0, let fault = try change(fixture, maxima) { return fault }
            advice = advice ?? fixture.pluginHarness.answerAdvice
        }
        return advice.map { .warning($0) } ?? .passed()
    }

    /// Repeats the offers as changes. Returns nil if the plugin passes.
    private static func change(
        _ fixture: Fixture, _ maxima: [VideoCapability]
    ) throws(Verdict) -> Verdict? {
        let largest = VideoCapability(width: 3840, height: 2160, fps: 60)
        for ceiling in maxima.dropFirst() {
            guard
                let offer = fixture.pluginHarness.nextOffer(
                    maximum: largest, ceiling: ceiling == largest ? nil : ceiling)
            else { return nil }
            let end = fixture.timed(.propertyChange) { $0.propertyChange(offer) }
            if case .lost = end { throw fixture.crash().unless("negotiation.change") }
            if end != .done { throw fixture.ordinary(.propertyChange, end, as: "property_change") }
            if case .refused(.badAnswer, let text) = fixture.pluginHarness.reply(to: offer.revision)
            {
                return .failed("to a new offer under \(ceiling) \(text)")
            }
        }
        return nil
    }
}
