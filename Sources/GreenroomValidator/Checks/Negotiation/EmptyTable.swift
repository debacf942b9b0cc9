import GreenroomModel
import GreenroomHarness
import GreenroomNegotiation
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let emptyTable = Check(
        "negotiation.empty-table", "an empty table", of: .cameras,
        rule: "A plugin copes with an offer without rows.",
        why: "A host that uses no size of the table sends row_count 0 and a suggestion.",
        measured: """
            rows points to unreadable memory. The plugin must accept the suggestion, \
            answer GR_ANSWER_FIXED or refuse with a status.
            """,
        fix: "Loop to row_count instead of reading the first row."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.create()
        guard let usual = fixture.pluginHarness.nextOffer(maximum: .small) else { return .passed() }
        let empty = Offer(
            revision: usual.revision, rule: .rows, rows: [], suggested: usual.suggested)
        let end = fixture.make(.initialize, empty)
        switch end {
        case .done: break
        case .refused(.badAnswer, let text):
            return .failed("offered no rows, \(text)").unless("negotiation.answer-in-offer")
        case .refused(let status, let text):
            return .passed("refuses an offer without rows with \(status): \(text)")
        case .lost:
            let crash = fixture.crash()
            return .crashed(
                "offered no rows, \(crash.text): look at row_count before rows", crash.details
            ).unless("lifecycle.whole-life")
        default: return fixture.ordinary(.initialize, end)
        }
        try fixture.startSend()
        try fixture.wait(seconds: 0.3)
        try fixture.end()
        return .passed()
    }
}
