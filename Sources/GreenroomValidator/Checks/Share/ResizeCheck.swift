import GreenroomHarness
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    /// Changes the limit of a running share to odd sizes, smaller and larger again.
    static let resizedShare = Check(
        "share.resize", "a new limit while sharing, odd sizes too", of: .shares,
        rule: "A share stays within its limit while the limit changes.",
        why: "A viewer's window or a ceiling changes it.",
        measured: """
            New offers at any size: frames with the offer's revision stay within it at \
            once, all others after a second. A share may ignore or refuse offers.
            """,
        fix: "Scale to the limit of the newest accepted offer."
    ) { examination throws(Verdict) in
        try examination.onItsClock { fixture throws(Verdict) in try resize(fixture) }
    }

    private static let limits = [
        VideoCapability(width: 1001, height: 563, fps: 30),
        VideoCapability(width: 333, height: 251, fps: 15),
        VideoCapability(width: 1, height: 1, fps: 15),
        VideoCapability(width: 1279, height: 719, fps: 30),
    ]

    private static func resize(_ fixture: Fixture) throws(Verdict) -> Verdict {
        try fixture.start()
        try fixture.wait(seconds: 0.3)
        var isFollowing = false
        for limit in limits {
            guard let offer = fixture.offer(limit) else { continue }
            let begin = fixture.record.frames.count
            switch fixture.pluginHarness.propertyChange(offer) {
            case .done: break
            case .lost: throw fixture.crash().unless("negotiation.change")
            default: throw .hindered(by: "negotiation.change", "property-change did not work")
            }
            let graceEnd = fixture.clock.now + 1_000_000_000
            let reply = fixture.pluginHarness.reply(to: offer.revision)
            try fixture.wait(seconds: 1.5)
            guard case .answered = reply, let agreement = fixture.pluginHarness.agreement else {
                continue
            }
            isFollowing = true
            for frame in fixture.record.frames.dropFirst(begin)
            where frame.info.offerRevision == offer.revision || frame.arrival > graceEnd {
                guard !agreement.allows(frame, under: limit) else { continue }
                throw .failed(
                    "agreed to \(agreement.source) while sharing, but sends \(frame.size): stay "
                        + "within the new limit, or answer GR_ANSWER_FIXED with what you make"
                ).unless(
                    frame.info.offerRevision == offer.revision
                        ? "negotiation.revision-geometry" : "negotiation.change")
            }
        }
        fixture.finish()
        return isFollowing ? .passed() : .passed("continues unchanged; the host adapts")
    }
}
