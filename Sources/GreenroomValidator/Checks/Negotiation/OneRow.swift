import GreenroomModel
import GreenroomHarness
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let oneRow = Check(
        "negotiation.one-row", "a table of one row", of: .videoSources,
        rule: "A plugin copes with an offer of a single row.",
        why: "Session files may replace the table.",
        measured: "The plugin must answer that row or a fixed size, and send what it answered.",
        fix: "Search the rows for the best one, and rely on no second row or preferred size."
    ) { examination throws(Verdict) in
        let row = VideoCapability(width: 640, height: 360, fps: 15)
        // Faults that also occur with several rows belong to other checks.
        let several = try trial(
            examination, [row, VideoCapability(width: 320, height: 180, fps: 15)])
        let one = try trial(examination, [row])
        switch (several, one) {
        case (_, nil): return .passed()
        case (let several?, _): return .hindered(by: "negotiation.answer-in-offer", several.text)
        case (nil, let one?): return one
        }
    }

    /// Runs the plugin with a table.
    ///
    /// - Returns: The fault; nil if none.
    private static func trial(
        _ examination: Examination, _ table: [VideoCapability]
    ) throws(Verdict) -> Verdict? {
        let offers = OfferLog(try examination.fixture())
        let fixture = offers.fixture
        try fixture.create()
        guard let offer = fixture.pluginHarness.nextOffer(table: table) else { return nil }
        let end = fixture.make(.initialize, offer)
        switch end {
        case .done: break
        case .refused(.badAnswer, let text): return .failed("offered \(table[0]) alone, \(text)")
        case .lost: return fixture.crash()
        default: throw fixture.ordinary(.initialize, end)
        }
        try fixture.startSend()
        if fixture.pluginHarness.wait(nanoseconds: 500_000_000) != nil { return fixture.crash() }
        try fixture.end()
        return nil
    }
}
