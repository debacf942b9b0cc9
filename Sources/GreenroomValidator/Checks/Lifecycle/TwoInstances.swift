import GreenroomHost
import GreenroomLoading
import GreenroomMedia

extension Catalogue {
    static let twoInstances = Check(
        "lifecycle.two-instances", "two instances at once",
        proving: """
            Two instances live side by side in one process, with other sizes where they send \
            pictures: both send, each the size that it has agreed on, through its own sender; when \
            one has ended the other goes on. What instances share, such as static variables, mixes \
            them up. A plugin may refuse a second instance, as one of a device does.
            """
    ) { examination throws(Verdict) in
        try examination.onItsClock { first throws(Verdict) in
            let second = examination.bench(beside: first, number: 1)
            try first.start()
            try first.wait(seconds: 0.3)
            // What it does alone is judged elsewhere.
            let isExact = mixUp(first) == nil
            let goesOn = try first.sends(after: first.accepted, within: 5)
            for step in ["create", "initialize", "start-send"] {
                let offer = step == "initialize" ? second.rehearsal.nextOffer(maximum: .small) : nil
                switch second.make(step, offer) {
                case .done, .pumps: continue
                case let end where end.isBadAnswer: return second.ordinary(step, end)
                case .refused(let status, let text):
                    return .warning(
                        "\(step) of a second instance answers \(status): \(text). A session with "
                            + "two of it goes on with one")
                case let end: return second.verdict(on: "\(step) of a second instance", end)
                }
            }
            let alone = first.accepted
            try first.wait(seconds: 0.6)
            if goesOn { try mustSend(first, after: alone, "the first of two instances") }
            try mustSend(second, after: 0, "the second of two instances")
            for bench in [first, second] where isExact {
                if let fault = mixUp(bench) { return fault }
            }
            if first.kind == .preProcessor { try edit(first, second) }
            let before = second.accepted
            for step in ["stop-send", "uninitialize", "destroy"] {
                let end = first.make(step)
                guard end == .done else {
                    return first.ordinary(step, end, as: "\(step) of one of two instances")
                }
            }
            let ended = first.accepted
            if second.rehearsal.wait(nanoseconds: 500_000_000) != nil {
                return second.crash().unless("lifecycle.dead-sender")
            }
            if goesOn {
                try mustSend(second, after: before, "an instance beside one that has ended")
            }
            guard first.accepted == ended else {
                return .failed("the instance that has ended goes on sending through the other")
            }
            try second.end()
            return .passed()
        }
    }

    private static func mustSend(
        _ bench: Bench, after count: Int, _ name: String
    ) throws(Verdict) {
        guard bench.isSource, try !bench.sends(after: count, within: 5) else { return }
        throw .failed(
            "\(name) sends nothing\(bench.refusals): keep what belongs to an instance in what "
                + "create makes, not in static variables"
        ).unless("lifecycle.whole-life")
    }

    /// Whether frames came that are of another size than the instance has agreed on.
    private static func mixUp(_ bench: Bench) -> Verdict? {
        guard let agreed = bench.rehearsal.agreement?.source.size,
            let frame = bench.record.frames.first(where: { $0.size != agreed })
        else { return nil }
        return .failed(
            "an instance that has agreed on \(agreed) sends \(frame.size) while there is another "
                + "one: keep what belongs to an instance in what create makes, not in static "
                + "variables"
        )
    }

    /// Has both edit a frame of theirs.
    private static func edit(_ first: Bench, _ second: Bench) throws(Verdict) {
        for (bench, size) in [
            (first, FrameSize(width: 1920, height: 1080)),
            (second, FrameSize(width: 640, height: 360)),
        ] {
            let info = FrameInfo(
                color: .bt709Limited, offerRevision: 1, ptsNanoseconds: bench.clock.now)
            _ = bench.rehearsal.edit(size, info: info) { _ in }
            if bench.rehearsal.fault != nil { throw bench.crash() }
        }
    }
}
