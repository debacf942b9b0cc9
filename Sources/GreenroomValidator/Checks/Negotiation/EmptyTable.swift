import GreenroomHost
import GreenroomLoading
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
        let bench = try examination.bench()
        try bench.create()
        guard let usual = bench.rehearsal.nextOffer(maximum: .small) else { return .passed() }
        let empty = Offer(
            revision: usual.revision, rule: .rows, rows: [], suggested: usual.suggested)
        let end = bench.make("initialize", empty)
        switch end {
        case .done: break
        case .refused(.badAnswer, let text):
            return .failed("offered no rows, \(text)").unless("negotiation.answer-in-offer")
        case .refused(let status, let text):
            return .passed("it refuses an offer without rows with \(status): \(text)")
        case .lost:
            let crash = bench.crash()
            return .crashed(
                "offered no rows, \(crash.text): look at row_count before rows", crash.details
            ).unless("lifecycle.whole-life")
        default: return bench.ordinary("initialize", end)
        }
        try bench.startSend()
        try bench.wait(seconds: 0.3)
        try bench.end()
        return .passed()
    }
}
