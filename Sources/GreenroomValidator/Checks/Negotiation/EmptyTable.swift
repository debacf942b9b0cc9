import GreenroomNegotiation
import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let emptyTable = Check(
        "negotiation.empty-table", "an empty table", of: [.videoSource],
        proving: """
            An offer with a row_count of 0 and a suggestion, as a host may make it that can take none \
            of its sizes: the plugin accepts the suggestion, answers GR_ANSWER_FIXED, or refuses with \
            a status. It does not read a row that is not there: rows points to memory that can't be \
            read.
            """
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.create()
        guard let usual = fixture.pluginHarness.nextOffer(maximum: .small) else { return .passed() }
        let empty = Offer(
            revision: usual.revision, rule: .rows, rows: [], suggested: usual.suggested)
        let end = fixture.make("initialize", empty)
        switch end {
        case .done: break
        case .refused(.badAnswer, let text):
            return .failed("offered no rows, \(text)").unless("negotiation.answer-in-offer")
        case .refused(let status, let text):
            return .passed("it refuses an offer without rows with \(status): \(text)")
        case .lost:
            let crash = fixture.crash()
            return .crashed(
                "offered no rows, \(crash.text): look at row_count before rows", crash.details
            ).unless("lifecycle.whole-life")
        default: return fixture.ordinary("initialize", end)
        }
        try fixture.startSend()
        try fixture.wait(seconds: 0.3)
        try fixture.end()
        return .passed()
    }
}
