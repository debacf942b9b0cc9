import GreenroomModel
import GreenroomHarness
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let unfamiliarSizes = Check(
        "negotiation.unfamiliar-sizes", "sizes outside the standard table", of: .videoSources,
        rule: "A plugin copes with sizes outside the standard table.",
        why: """
            Session files may offer "any size up to GR_MAX_DIMENSION, also odd".
            """,
        measured: """
            333x251, 1366x768 at 60 fps, 8x8, 2x1080, and 854x480 at 30000/1001 fps: \
            frames must have the agreed size, unless the plugin answered GR_ANSWER_FIXED \
            or refused with a status.
            """,
        fix: "Round chroma up: (width + 1) / 2."
    ) { examination throws(Verdict) in
        let film = FrameRate(numerator: 30000, denominator: 1001) ?? FrameRate(30)
        // The first row is ordinary: its faults belong to other checks.
        let rows = [
            VideoCapability.small,
            VideoCapability(width: 333, height: 251, fps: 25),
            VideoCapability(width: 1366, height: 768, fps: 60),
            VideoCapability(width: 8, height: 8, fps: 30),
            VideoCapability(width: 2, height: 1080, fps: 30),
            VideoCapability(size: FrameSize(width: 854, height: 480), rate: film),
        ]
        var refused: [String] = []
        for (index, row) in rows.enumerated() {
            let fault: Verdict?
            do throws(Verdict) {
                fault = try trial(examination, row, &refused)
            } catch {
                fault = error
            }
            guard let fault else { continue }
            guard index == 0 else { return fault }
            return .hindered(by: fault.suspect ?? "negotiation.revision-geometry", fault.text)
        }
        guard !refused.isEmpty else { return .passed() }
        return .warning(
            "refuses \(refused.joined(separator: "; ")). Say what it can make with "
                + "greenroom.video-capabilities/1, or answer GR_ANSWER_FIXED and the host adapts")
    }

    /// Runs the plugin with one row.
    ///
    /// - Returns: The fault; nil if none.
    private static func trial(
        _ examination: Examination, _ row: VideoCapability, _ refused: inout [String]
    ) throws(Verdict) -> Verdict? {
        var refusal: String?
        let verdict = try examination.talksOnItsClock { offers throws(Verdict) in
            let (fixture, pluginHarness) = (offers.fixture, offers.fixture.pluginHarness)
            try fixture.create()
            let offer = pluginHarness.nextOffer(maximum: row, table: [row])
            let end = fixture.make(.initialize, offer)
            switch end {
            case .done: break
            case .refused(.badAnswer, let text):
                return .failed("offered \(row), \(text)").unless("negotiation.one-row")
            case .refused(let status, let text):
                refusal = "\(row) with \(status) (\(text))"
                return .passed()
            case .lost: return crash(fixture, row)
            default: throw fixture.ordinary(.initialize, end)
            }
            if let offer { offers.note(offer) }
            try fixture.startSend()
            if pluginHarness.wait(nanoseconds: 400_000_000) != nil { return crash(fixture, row) }
            let sends = try fixture.sends(within: 5)
            if let mismatch = offers.mismatch {
                return .failed(
                    "offered \(row), \(mismatch.text): send the exact size that was agreed, or "
                        + "answer GR_ANSWER_FIXED")
            }
            guard sends else {
                return .failed("offered \(row), it sends nothing\(fixture.refusals)")
                    .unless("lifecycle.whole-life")
            }
            let stop = fixture.make(.stopSend)
            if stop.isLoss { return crash(fixture, row) }
            if stop != .done { throw fixture.ordinary(.stopSend, stop) }
            return .passed()
        }
        if let refusal { refused.append(refusal) }
        return verdict.outcome.isFault ? verdict : nil
    }

    private static func crash(_ fixture: Fixture, _ row: VideoCapability) -> Verdict {
        let crash = fixture.crash()
        return .crashed("offered \(row), \(crash.text)", crash.details)
            .unless("lifecycle.whole-life")
    }
}
