import GreenroomMedia
import TestSupport
import Testing

@testable import GreenroomNegotiation

@Suite struct NegotiatorTests {
    private let second: Int64 = 1_000_000_000
    private let full = VideoCapability(width: 1280, height: 720, fps: 30)
    private let low = VideoCapability(width: 640, height: 360, fps: 15)

    private func begun(_ reply: Reply = .answered(.accept)) -> Negotiator {
        var negotiator = Negotiator(rule: .rows, table: .standard, maximum: full)
        #expect(negotiator.next(at: 0)?.revision == 1)
        negotiator.answered(reply)
        return negotiator
    }

    @Test func `the first offer is due at once, with all earlier ceilings`() {
        var negotiator = Negotiator(rule: .rows, table: .standard, maximum: full)
        negotiator.set(low, kind: .outside, origin: "a", at: 0)
        negotiator.set(nil, kind: .outside, origin: "b", at: 0)
        #expect(negotiator.wake == 0)
        #expect(negotiator.track == nil)
        let offer = negotiator.next(at: 0)
        #expect(offer?.reason == .initial)
        #expect(offer?.suggested == full)
        #expect(negotiator.next(at: 100 * second) == nil, "one in flight")
        #expect(negotiator.wake == nil)
        negotiator.answered(.answered(.accept))
        #expect(negotiator.source == full && negotiator.track == full)
        #expect(negotiator.wake == nil)
    }

    @Test func `a lower ceiling applies at once, and its offer is due at once`() {
        var negotiator = begun()
        negotiator.set(low, kind: .outside, origin: "timeline[0]", at: 3 * second)
        #expect(negotiator.track == low)
        #expect(negotiator.source == full)
        #expect(negotiator.wake == 3 * second)
        let offer = negotiator.next(at: 3 * second)
        #expect(offer?.suggested == low)
        #expect(offer?.reason == .ceilingLowered)
        #expect(offer?.revision == 2)
        negotiator.answered(.answered(.accept))
        #expect(negotiator.source == low && negotiator.track == low)
    }

    @Test func `a rise waits until the ceilings stop changing`() {
        var negotiator = begun()
        negotiator.set(low, kind: .outside, origin: "a", at: 0)
        _ = negotiator.next(at: 0)
        negotiator.answered(.answered(.accept))
        negotiator.set(nil, kind: .outside, origin: "b", at: second)
        #expect(negotiator.wake == second + Negotiator.riseNanoseconds)
        #expect(negotiator.next(at: 2 * second) == nil)
        // A change restarts the wait.
        negotiator.set(
            VideoCapability(width: 960, height: 540, fps: 30), kind: .ability, origin: "c",
            at: 3 * second)
        let moment = 3 * second + Negotiator.riseNanoseconds
        #expect(negotiator.wake == moment)
        #expect(negotiator.next(at: moment - 1) == nil)
        #expect(negotiator.track == low)
        let offer = negotiator.next(at: moment)
        #expect(offer?.suggested == VideoCapability(width: 960, height: 540, fps: 30))
        #expect(offer?.reason == .ceilingRaised)
        #expect(negotiator.track == low, "the source has not risen yet")
        negotiator.answered(.answered(.accept))
        #expect(negotiator.track == offer?.suggested)
    }

    @Test func `changes during an open offer make one offer, or none if they are undone`() {
        var negotiator = begun()
        negotiator.set(low, kind: .outside, origin: "1", at: 0)
        _ = negotiator.next(at: 0)
        for (index, fps) in [10, 5, 12].enumerated() {
            negotiator.set(
                VideoCapability(width: 320, height: 180, fps: fps), kind: .outside,
                origin: "\(index)", at: Int64(index))
            #expect(negotiator.next(at: Int64(index)) == nil)
        }
        negotiator.answered(.answered(.accept))
        let next = negotiator.next(at: 10)
        #expect(next?.suggested == VideoCapability(width: 320, height: 180, fps: 5))
        negotiator.answered(.answered(.accept))
        #expect(
            negotiator.next(at: 2 + Negotiator.riseNanoseconds)?.suggested
                == VideoCapability(width: 320, height: 180, fps: 12))
        negotiator.answered(.answered(.accept))

        // Changed and undone during the wait: no offer.
        var calm = begun()
        calm.set(
            VideoCapability(width: 1279, height: 720, fps: 30), kind: .outside, origin: "x", at: 4)
        calm.set(nil, kind: .outside, origin: "y", at: 5)
        let dip = calm.next(at: 5)
        #expect(dip?.suggested.size == FrameSize(width: 960, height: 540), "down is at once")
        calm.answered(.ignored)
        #expect(calm.next(at: 6) == nil)

        // Changed and undone at one time: no offer.
        var still = begun()
        still.set(low, kind: .outside, origin: "x", at: 5)
        still.set(nil, kind: .outside, origin: "y", at: 5)
        #expect(still.next(at: 5) == nil && still.wake == nil)
    }

    @Test func `a lower rate applies at once while a larger size waits`() {
        var negotiator = begun()
        negotiator.set(
            VideoCapability(width: 640, height: 360, fps: 30), kind: .outside, origin: "a", at: 0)
        _ = negotiator.next(at: 0)
        negotiator.answered(.answered(.accept))
        let wider = VideoCapability(width: 1280, height: 720, fps: 15)
        negotiator.set(wider, kind: .outside, origin: "b", at: second)
        #expect(negotiator.next(at: second)?.suggested == low)
        negotiator.answered(.answered(.accept))
        let binding = negotiator.records.last?.ceilings.filter(\.binds).map(\.origin)
        #expect(
            binding == ["b", "a, lifted, but applied for 3 s more,"],
            "the rate by the new one, the size still by the old one")
        #expect(negotiator.next(at: second + Negotiator.riseNanoseconds)?.suggested == wider)
    }

    @Test func `a source that ignores or refuses an offer keeps its format, and the host scales`() {
        for reply in [
            Reply.ignored, .refused(.failed, "no"),
            .answered(.counter(VideoCapability(width: 999, height: 999, fps: 1))),
        ] {
            var negotiator = begun()
            negotiator.set(low, kind: .outside, origin: "a", at: second)
            _ = negotiator.next(at: second)
            let counted = negotiator.answered(reply)
            #expect(negotiator.source == full)
            #expect(negotiator.track == low)
            #expect(negotiator.next(at: 100 * second) == nil, "it is not asked twice")
            if case .answered = reply {
                guard case .refused(.badAnswer, let text) = counted else {
                    Issue.record("\(counted)")
                    continue
                }
                #expect(text.contains("999x999@1") && text.contains("640x360@15"))
            }
            negotiator.set(nil, kind: .outside, origin: "b", at: 2 * second)
            #expect(negotiator.track == low)
            #expect(negotiator.next(at: 2 * second + Negotiator.riseNanoseconds) != nil)
            #expect(negotiator.track == full)
        }
    }

    @Test func `a fixed source is scaled without distortion, and gets every new offer`() {
        var negotiator = begun(
            .answered(.fixed(VideoCapability(width: 1024, height: 768, fps: 60))))
        #expect(negotiator.track?.description == "960x720@30")
        negotiator.set(low, kind: .outside, origin: "a", at: 0)
        #expect(negotiator.track?.description == "480x360@15")
        #expect(negotiator.next(at: 0) != nil)
    }

    @Test func `a chosen row that is no longer offered is renegotiated`() {
        let row = VideoCapability(width: 960, height: 540, fps: 15)
        var negotiator = begun()
        negotiator.set(low, kind: .outside, origin: "a", at: 0)
        _ = negotiator.next(at: 0)
        negotiator.answered(.answered(.counter(row)))
        #expect(negotiator.source == row && negotiator.track == low)
        negotiator.set(low, kind: .ability, origin: "b", at: 1)
        let offer = negotiator.next(at: 1)
        #expect(offer?.suggested == low && offer?.contains(row) == false)
        negotiator.answered(.refused(.failed, "no"))
        #expect(negotiator.next(at: second) == nil)
    }

    @Test func `an equal ceiling keeps its origin`() {
        var negotiator = begun()
        negotiator.set(low, kind: .outside, origin: "timeline[0]", at: second)
        _ = negotiator.next(at: second)
        negotiator.answered(.answered(.accept))
        negotiator.set(low, kind: .outside, origin: "control line 1", at: 2 * second)
        #expect(negotiator.next(at: 9 * second) == nil)
        #expect(negotiator.ceilings.last?.origin == "timeline[0]")
        negotiator.set(nil, kind: .sessionMaximum, origin: "nobody", at: 2 * second)
        #expect(negotiator.ceilings.count == 2, "the maximum stays")
    }

    @Test func `the outputs' requests are a ceiling, which an output without a size lifts`() {
        var negotiator = begun()
        let small = VideoSinkWant(size: FrameSize(width: 600, height: 300), rate: FrameRate(15))
        negotiator.set(wants: [small], at: 0)
        #expect(negotiator.next(at: 0)?.suggested == low)
        negotiator.answered(.answered(.accept))
        #expect(negotiator.records.last?.ceilings.first?.origin == "outputs' requested formats")
        negotiator.set(wants: [small, VideoSinkWant()], at: 0)
        #expect(negotiator.next(at: Negotiator.riseNanoseconds)?.suggested == full)
    }

    @Test(arguments: [
        (OfferRule.rows, Answer.accept, "1280x720@30"),
        (.rows, .counter(VideoCapability(width: 640, height: 360, fps: 10)), "1280x720@10"),
        (.rows, .counter(VideoCapability(width: 320, height: 180, fps: 15)), "320x180@15"),
        (.rows, .fixed(VideoCapability(width: 800, height: 600, fps: 15)), "800x600@15"),
        (.upTo, .accept, "1280x720@30"),
        (.upTo, .counter(VideoCapability(width: 640, height: 360, fps: 2)), "1280x720@2"),
        (.upTo, .counter(VideoCapability(width: 480, height: 360, fps: 2)), "960x720@2"),
        (.upTo, .counter(VideoCapability(width: 640, height: 200, fps: 2)), "1280x400@2"),
        (.upTo, .counter(VideoCapability(width: 400, height: 300, fps: 15)), "400x300@30"),
    ])
    func `a track's full format ignores the outputs' requested formats`(
        rule: OfferRule, answer: Answer, whole: String
    ) {
        var negotiator = Negotiator(rule: rule, table: .standard, maximum: full)
        #expect(negotiator.whole == nil)
        negotiator.set(wants: [VideoSinkWant(size: low.size, rate: low.rate)], at: 0)
        _ = negotiator.next(at: 0)
        negotiator.answered(.answered(answer))
        #expect(negotiator.whole?.description == whole)
    }

    @Test func `records contain every offer, and their number is limited`() throws {
        var negotiator = begun()
        negotiator.followed(revision: 1, frames: 0)
        for step in 1...500 {
            negotiator.set(
                VideoCapability(width: 640, height: 360, fps: 1000 - step), kind: .outside,
                origin: "line \(step)", at: Int64(step))
            negotiator.set(
                VideoCapability(width: 640, height: 360, fps: step % 2 + 1), kind: .ability,
                origin: "m", at: Int64(step))
            guard negotiator.next(at: Int64(step) * 4 * second) != nil else { continue }
            negotiator.answered(.answered(.accept))
        }
        #expect(negotiator.records.count <= Negotiator.recordLimit)
        #expect(negotiator.records.first?.revision == 1)
        let newest = try #require(negotiator.offer?.revision)
        #expect(negotiator.records.last?.revision == newest)
        #expect(negotiator.records.count + negotiator.recordsLeftOut == Int(newest))
        negotiator.followed(revision: newest, frames: 4)
        #expect(negotiator.records.last?.framesUntilFollowed == 4)
    }

    /// The result of the ceilings, computed independently.
    private func allows(
        _ ceilings: [Ceiling.Kind: VideoCapability], _ capability: VideoCapability
    ) -> Bool {
        ceilings.values.allSatisfy {
            capability.size.width <= $0.size.width && capability.size.height <= $0.size.height
                && capability.rate <= $0.rate
        }
    }

    @Test func `the rules of negotiation hold in random sequences`() throws {
        for seed in 0..<150 {
            var random = SeededGenerator(seed: seed)
            let rule: OfferRule = seed % 4 == 0 ? .upTo : .rows
            let maximum = random.capability()
            let table = random.table()
            let capabilities = random.capabilities(upTo: 4)
            var negotiator = Negotiator(
                rule: rule, table: table, maximum: maximum, capabilities: capabilities)
            var ceilings = [Ceiling.Kind.sessionMaximum: maximum]
            var now: Int64 = 0
            var lastChange: Int64 = 0
            var inFlight: Offer?
            var newest: Offer?
            for _ in 0..<200 {
                now += Int64.random(in: 0...second, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    let kinds = [Ceiling.Kind.ability, .wants, .outside]
                    let kind = kinds.randomElement(using: &random) ?? .outside
                    let limit = Bool.random(using: &random) ? random.capability() : nil
                    if ceilings[kind] != limit { lastChange = now }
                    ceilings[kind] = limit
                    negotiator.set(limit, kind: kind, origin: "test", at: now)
                case 1:
                    guard let offer = inFlight else { continue }
                    let replies = [
                        Reply.answered(.accept), .ignored, .refused(.failed, "no"),
                        .answered(.fixed(random.capability())),
                        .answered(.counter(offer.rows.randomElement(using: &random) ?? maximum)),
                    ]
                    negotiator.answered(
                        replies.randomElement(using: &random) ?? .ignored)
                    inFlight = nil
                default:
                    guard let offer = negotiator.next(at: now) else {
                        // An offer above the ceiling never stays.
                        if inFlight == nil, let newest {
                            #expect(allows(ceilings, newest.suggested), "seed \(seed)")
                        }
                        continue
                    }
                    #expect(inFlight == nil, "one in flight, seed \(seed)")
                    #expect(offer.revision == (newest?.revision ?? 0) + 1, "seed \(seed)")
                    #expect(allows(ceilings, offer.suggested), "seed \(seed)")
                    #expect(offer.contains(offer.suggested), "seed \(seed)")
                    if offer.reason == .ceilingRaised {
                        let isCalm = now - lastChange >= Negotiator.riseNanoseconds
                        // Of two rows with equal area, the one with the better aspect ratio may
                        // change.
                        let isOther = offer.suggested.size.area == newest?.suggested.size.area
                        #expect(isCalm || isOther, "seed \(seed)")
                    }
                    inFlight = offer
                    newest = offer
                }
                if let track = negotiator.track {
                    #expect(allows(ceilings, track), "the track is never above, seed \(seed)")
                }
            }
            // At rest it ends at the best row, with which a new negotiation starts.
            if inFlight != nil { negotiator.answered(.answered(.accept)) }
            for _ in 0..<4 {
                now += Negotiator.riseNanoseconds
                if negotiator.next(at: now) != nil {
                    negotiator.answered(.answered(.accept))
                }
            }
            var fresh = Negotiator(
                rule: rule, table: table, maximum: maximum, capabilities: capabilities)
            for kind in [Ceiling.Kind.ability, .wants, .outside] {
                fresh.set(ceilings[kind], kind: kind, origin: "test", at: 0)
            }
            #expect(
                negotiator.offer?.suggested == fresh.next(at: 0)?.suggested, "seed \(seed)")
            #expect(negotiator.wake == nil, "seed \(seed)")
        }
    }

    @Test func `equal histories make equal records`() {
        func run() -> [NegotiationRecord] {
            var random = SeededGenerator(seed: 11)
            var negotiator = Negotiator(rule: .rows, table: .standard, maximum: full)
            for step in 0..<200 {
                let now = Int64(step) * second
                let limit = Bool.random(using: &random) ? random.capability() : nil
                negotiator.set(limit, kind: .outside, origin: "\(step)", at: now)
                if negotiator.next(at: now) != nil {
                    negotiator.answered(.answered(.accept))
                }
            }
            return negotiator.records
        }
        let records = run()
        #expect(records.count > 10)
        #expect(records == run())
    }
}
