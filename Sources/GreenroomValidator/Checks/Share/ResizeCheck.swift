import GreenroomHost
import GreenroomLoading
import GreenroomMedia

extension Catalogue {
    /// Changes the limit of a share that is running to odd sizes, smaller and larger again.
    static let resizedShare = Check(
        "share.resize", "another limit in mid-share, odd sizes too", of: [.shareSource],
        proving: """
            The limit of a share changes while it runs: a viewer's window, a lower ceiling. A share \
            that agrees to a new offer keeps within what it agreed to, at any size: the frames that \
            carry the offer's revision at once, all others a second later. One that takes no new \
            offers, or refuses them, goes on as it is, and the host adapts.
            """
    ) { examination throws(Verdict) in
        try examination.onItsClock { bench throws(Verdict) in try resize(bench) }
    }

    private static let limits = [
        VideoCapability(width: 1001, height: 563, fps: 30),
        VideoCapability(width: 333, height: 251, fps: 15),
        VideoCapability(width: 1, height: 1, fps: 15),
        VideoCapability(width: 1279, height: 719, fps: 30),
    ]

    private static func resize(_ bench: Bench) throws(Verdict) -> Verdict {
        try bench.start()
        try bench.wait(seconds: 0.3)
        var isFollowing = false
        for limit in limits {
            guard let offer = bench.offer(limit) else { continue }
            let begin = bench.record.frames.count
            switch bench.rehearsal.propertyChange(offer) {
            case .done: break
            case .lost: throw bench.crash().unless("negotiation.change")
            default: throw .hindered(by: "negotiation.change", "property-change did not work")
            }
            let graceEnd = bench.clock.now + 1_000_000_000
            let reply = bench.rehearsal.reply(to: offer.revision)
            try bench.wait(seconds: 1.5)
            guard case .answered = reply, let agreement = bench.rehearsal.agreement else {
                continue
            }
            isFollowing = true
            for frame in bench.record.frames.dropFirst(begin)
            where frame.info.offerRevision == offer.revision || frame.arrival > graceEnd {
                guard !agreement.allows(frame, under: limit) else { continue }
                throw .failed(
                    "it agreed to \(agreement.source) in mid-share, and sends \(frame.size): keep "
                        + "within the new limit, or answer GR_ANSWER_FIXED with what you make"
                ).unless(
                    frame.info.offerRevision == offer.revision
                        ? "negotiation.revision-geometry" : "negotiation.change")
            }
        }
        bench.finish()
        return isFollowing ? .passed() : .passed("it goes on as it is; the host adapts")
    }
}
