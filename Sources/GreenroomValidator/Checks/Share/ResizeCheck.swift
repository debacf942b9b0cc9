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
        let bench = try examination.bench()
        try bench.start()
        try bench.wait(seconds: 0.3)
        let limits = [
            VideoCapability(width: 1001, height: 563, fps: 30),
            VideoCapability(width: 333, height: 251, fps: 15),
            VideoCapability(width: 1, height: 1, fps: 15),
            VideoCapability(width: 1279, height: 719, fps: 30),
        ]
        var refused = 0
        for limit in limits {
            guard let offer = bench.offer(limit) else { continue }
            let begin = bench.record.frames.count
            guard bench.rehearsal.propertyChange(offer) == .done else {
                if bench.rehearsal.fault != nil { throw bench.crash() }
                throw .hindered(by: "negotiation", "property-change did not work")
            }
            let answered = bench.clock.now
            let reply = bench.rehearsal.reply(to: offer.revision)
            try bench.wait(seconds: 1.5)
            guard case .answered = reply, let agreed = bench.rehearsal.agreement?.source else {
                refused += 1
                continue
            }
            for frame in bench.record.frames.dropFirst(begin) {
                let counts =
                    frame.info.offerRevision == offer.revision
                    || frame.arrival > answered + 1_000_000_000
                guard counts,
                    frame.size.width > agreed.size.width || frame.size.height > agreed.size.height
                else { continue }
                throw .failed(
                    "it agreed to \(agreed) in mid-share, and sends \(frame.size): keep within the "
                        + "new limit, or answer GR_ANSWER_FIXED with what you make")
            }
        }
        bench.finish()
        return refused == 0 ? .passed() : .passed("it goes on as it is; the host adapts")
    }
}
