import GreenroomMedia
import TestSupport
import Testing

@testable import GreenroomNegotiation

@Suite struct NegotiationInputsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var what: String
        var maximum = "1920x1080@30"
        var ability: String?
        var wants: String?
        var outside: String?
        var makes: [String] = []
        var suggested: String
        var largest: String
        var rows: Int

        var testDescription: String { what }
    }

    /// Every kind of input, alone and combined, for the vendors' table of 12 rows.
    static let cases = [
        Case(what: "nothing", suggested: "1920x1080@30", largest: "1920x1080@30", rows: 12),
        Case(
            what: "the maximum removes rows", maximum: "1280x720@24", suggested: "1280x720@24",
            largest: "1280x720@24", rows: 11),
        Case(
            what: "so does the ability", ability: "640x360@30", suggested: "640x360@30",
            largest: "640x360@30", rows: 7),
        Case(
            what: "an outside ceiling lowers only the suggestion", outside: "640x360@15",
            suggested: "640x360@15", largest: "1920x1080@15", rows: 12),
        Case(
            what: "a ceiling between two rows", outside: "1000x600@30", suggested: "960x540@30",
            largest: "1920x1080@30", rows: 12),
        Case(
            what: "a narrow ceiling", outside: "640x1080@30", suggested: "640x480@30",
            largest: "1920x1080@30", rows: 12),
        Case(
            what: "a ceiling under every row", outside: "101x77@9", suggested: "100x76@9",
            largest: "1920x1080@9", rows: 13),
        Case(
            what: "a ceiling of a pixel", outside: "1x1@1", suggested: "1x1@1",
            largest: "1920x1080@1", rows: 13),
        Case(
            what: "a different ceiling for each side", ability: "1280x720@30", wants: "8192x400@60",
            outside: "700x8192@12", suggested: "640x360@12", largest: "1280x720@12", rows: 11),
        Case(
            what: "a source of two rows", makes: ["640x360@25", "1280x720@60"],
            suggested: "1280x720@30", largest: "1280x720@30", rows: 2),
        Case(
            what: "a source of a row and other sizes", makes: ["640x360@25", "700x500@60"],
            suggested: "640x360@25", largest: "640x360@25", rows: 1),
        Case(
            what: "a source of no row", makes: ["500x400@60", "300x200@10", "4000x3000@30"],
            suggested: "500x400@30", largest: "500x400@30", rows: 2),
        Case(
            what: "a source of unusable sizes", maximum: "1280x720@30",
            makes: ["4000x3000@30"], suggested: "1280x720@30", largest: "1280x720@30", rows: 1),
        Case(
            what: "a source with a size at two rates", makes: ["640x360@10", "640x360@24"],
            suggested: "640x360@24", largest: "640x360@24", rows: 1),
        Case(
            what: "a source of rows that are all above the ceiling", outside: "320x180@30",
            makes: ["1920x1080@30", "1280x720@30"], suggested: "320x180@30",
            largest: "1920x1080@30", rows: 3),
    ]

    static func inputs(_ rule: OfferRule, _ given: Case) throws -> NegotiationInputs {
        var ceilings = [Ceiling.sessionMaximum(try #require(VideoCapability(given.maximum)))]
        for (kind, limit) in [
            (Ceiling.Kind.ability, given.ability), (.wants, given.wants),
            (.outside, given.outside),
        ] {
            guard let limit else { continue }
            ceilings.append(
                Ceiling(
                    kind: kind, origin: "\(kind)", limit: try #require(VideoCapability(limit)),
                    since: 1))
        }
        return NegotiationInputs(
            rule: rule, table: .standard,
            capabilities: try given.makes.map { try #require(VideoCapability($0)) },
            ceilings: ceilings)
    }

    @Test(arguments: cases)
    func `every input limits the offer`(given: Case) throws {
        let offer = try Self.inputs(.rows, given).offer(revision: 1, after: nil)
        #expect(offer.suggested.description == given.suggested)
        #expect(offer.rows.first?.description == given.largest)
        #expect(offer.rows.count == given.rows, "\(offer.rows)")
    }

    @Test(arguments: [
        Case(what: "alone", suggested: "1920x1080@30", largest: "1920x1080@30", rows: 1),
        Case(
            what: "a ceiling with another aspect ratio", outside: "640x480@15",
            suggested: "640x360@15",
            largest: "640x480@15", rows: 1),
        Case(
            what: "a share of its own size", makes: ["1366x768@60"], suggested: "1366x768@30",
            largest: "1366x768@30", rows: 1),
        Case(
            what: "a share of its own size under a ceiling", outside: "683x1080@30",
            makes: ["1366x768@60"], suggested: "682x384@30", largest: "683x768@30", rows: 1),
        Case(
            what: "a share of several sizes", outside: "700x700@30",
            makes: ["1366x768@5", "640x480@30"], suggested: "640x480@30", largest: "700x700@30",
            rows: 1),
    ])
    func `a share has one row, and a suggestion with its own aspect ratio`(given: Case) throws {
        let offer = try Self.inputs(.upTo, given).offer(revision: 1, after: nil)
        #expect(offer.suggested.description == given.suggested)
        #expect(offer.rows.map(\.description) == [given.largest])
    }

    @Test func `offers are valid for random inputs`() throws {
        for seed in 0..<20_000 {
            var random = SeededGenerator(seed: seed)
            let inputs = random.inputs()
            let offer = inputs.offer(revision: 7, after: nil)
            #expect(offer == inputs.offer(revision: 7, after: nil), "seed \(seed)")
            #expect(offer.contains(offer.suggested), "seed \(seed)")
            if offer.rule == .rows {
                #expect(offer.rows.contains(offer.suggested), "seed \(seed)")
            } else {
                #expect(offer.rows.count == 1, "seed \(seed)")
            }
            for ceiling in inputs.ceilings {
                let limit = ceiling.limit
                let suggested = offer.suggested
                #expect(
                    suggested.size.width <= limit.size.width
                        && suggested.size.height <= limit.size.height
                        && suggested.rate <= limit.rate, "seed \(seed): \(ceiling)")
            }
            #expect(
                Set(offer.rows.map(\.size)).count == offer.rows.count, "distinct, seed \(seed)")
            for (larger, smaller) in zip(offer.rows, offer.rows.dropFirst()) {
                #expect(
                    (larger.size.area, larger.size.width)
                        > (smaller.size.area, smaller.size.width), "sorted, seed \(seed)")
            }
            for row in offer.rows {
                #expect(row.size.isLegal, "seed \(seed)")
                let agreement = try offer.settle(.counter(row))
                #expect(agreement.source == row, "seed \(seed)")
                #expect(agreement.track.fits(under: offer.ceiling), "seed \(seed)")
            }
            let fixed = random.capability()
            let track = try offer.settle(.fixed(fixed)).track
            #expect(track.size.isLegal && track.fits(under: offer.ceiling), "seed \(seed)")
        }
    }

    @Test func `no fitting row of the offer is better than the suggestion`() {
        for seed in 0..<5000 {
            var random = SeededGenerator(seed: seed)
            var inputs = random.inputs()
            inputs.rule = .rows
            let offer = inputs.offer(revision: 1, after: nil)
            let lowest = offer.ceiling
            for row in offer.rows
            where row.size.width <= lowest.size.width && row.size.height <= lowest.size.height {
                #expect(row.size.area <= offer.suggested.size.area, "seed \(seed)")
            }
        }
    }

    @Test func `an offer's reason is whether the ceiling was lowered or raised`() {
        func offer(_ limit: VideoCapability, after previous: Offer?) -> Offer {
            NegotiationInputs(
                rule: .rows, table: .standard, ceilings: [.sessionMaximum(limit)]
            ).offer(revision: 2, after: previous)
        }
        let middle = offer(VideoCapability(width: 640, height: 360, fps: 15), after: nil)
        #expect(middle.reason == .initial)
        for (size, fps, reason) in [
            ("640x360", 10, Offer.Reason.ceilingLowered), ("480x270", 15, .ceilingLowered),
            ("640x360", 20, .ceilingRaised), ("1280x720", 15, .ceilingRaised),
            ("1280x720", 5, .ceilingLowered),
        ] {
            guard let size = FrameSize(size) else { continue }
            let limit = VideoCapability(size: size, rate: FrameRate(fps))
            #expect(offer(limit, after: middle).reason == reason)
        }
    }

    // MARK: Wants

    @Test(
        arguments: [
            ([], nil),
            (["640x360@15"], "640x360@15"),
            (["640x360@15", "320x180@30"], "640x360@30"),
            (["600x300@15"], "640x360@15"),
            (["640x400@30"], "640x480@30"),
            (["640x100@30", "100x400@30"], "640x480@30"),
            // A row that is fast enough is larger than the smallest covering one.
            (["320x180@30"], "640x360@30"),
            (["320x180@60"], "320x180@60"),
            (["4000x3000@60"], "8192x8192@60"),
            (["640x360@15", "own@30"], "8192x8192@30"),
            (["640x360@own"], "640x360@1000"),
            (["640x360@15", "own@own"], nil),
        ] as [([String], String?)])
    func `the ceiling for a capture covers the largest requested format`(
        wants: [String], limit: String?
    ) {
        let wants = wants.map { text in
            let parts = text.split(separator: "@")
            return VideoSinkWant(size: FrameSize(parts[0]), rate: FrameRate(parts[1]))
        }
        let maximum = VideoCapability(width: 1920, height: 1080, fps: 30)
        let inputs = NegotiationInputs(
            rule: .rows, table: .standard, ceilings: [.sessionMaximum(maximum)])
        #expect(inputs.limit(serving: wants)?.description == limit)
    }

    @Test
    func `a capture under the outputs' ceiling covers every request that fits an offer`() throws {
        for seed in 0..<5000 {
            var random = SeededGenerator(seed: seed)
            let maximum = random.capability()
            var inputs = NegotiationInputs(
                rule: .rows, table: random.table(), capabilities: random.capabilities(upTo: 6),
                ceilings: [.sessionMaximum(maximum)])
            let before = inputs.offer(revision: 1, after: nil)
            let wants = random.capabilities(upTo: 3).map {
                VideoSinkWant(size: $0.size, rate: $0.rate)
            }
            let needed = wants.compactMap(\.size)
            guard let limit = inputs.limit(serving: wants) else { continue }
            inputs.ceilings.append(
                Ceiling(kind: .wants, origin: "outputs' requested formats", limit: limit, since: 0))
            let suggested = inputs.offer(revision: 1, after: nil).suggested
            guard
                before.rows.contains(where: { row in needed.allSatisfy { $0.fits(in: row.size) } })
            else {
                #expect(suggested.size == before.suggested.size, "seed \(seed)")
                continue
            }
            #expect(needed.allSatisfy { $0.fits(in: suggested.size) }, "seed \(seed)")
        }
    }

    // MARK: What outputs can use

    /// Each demand is a want and a ceiling, either side of `<`; both may be missing.
    static let demands: [(demands: [String], limit: String?, origin: String?)] = [
        ([], nil, nil),
        (["", "640x360@30"], nil, nil),
        (["<640x360@15"], "640x360@15", "0"),
        // Another output can use more.
        (["<640x360@15", ""], nil, nil),
        (["<640x360@15", "1280x720@30"], nil, nil),
        (["<640x360@15", "<480x270@15"], "640x360@15", "0"),
        (["<480x270@15", "<640x360@10"], "640x360@15", "1"),
        (["<640x360@15", "320x180@15"], "640x360@15", "0"),
        // A want below the ceiling.
        (["640x360@30<960x540@30"], nil, nil),
        (["640x360@30<960x540@15"], "640x360@15", "0"),
        (["<5000x5000@30"], nil, nil),
    ]

    @Test(arguments: demands)
    func `the output with the largest usable request decides the ceiling`(
        demands: [String], limit: String?, origin: String?
    ) throws {
        func capability(_ text: Substring) throws -> VideoCapability? {
            guard !text.isEmpty else { return nil }
            let read: VideoCapability = try #require(VideoCapability(text))
            return read
        }
        let inputs = NegotiationInputs(
            rule: .rows, table: .standard,
            ceilings: [.sessionMaximum(VideoCapability(width: 1280, height: 720, fps: 30))])
        let ceiling = inputs.ceiling(
            of: try demands.enumerated().map { number, text in
                let parts = text.split(separator: "<", omittingEmptySubsequences: false)
                let want = try capability(parts[0])
                return OutputDemand(
                    want: VideoSinkWant(size: want?.size, rate: want?.rate),
                    ceiling: try parts.dropFirst().first.flatMap(capability).map {
                        OutputCeiling(limit: $0, origin: "\(number)")
                    })
            })
        #expect(ceiling?.limit.description == limit && ceiling?.origin == origin)
    }

    @Test func `an equal limit from another output changes only the ceiling's origin`() {
        let full = VideoCapability(width: 1280, height: 720, fps: 30)
        var negotiator = Negotiator(rule: .rows, table: .standard, maximum: full)
        _ = negotiator.next(at: 0)
        negotiator.answered(.answered(.accept))
        let limit = VideoCapability(width: 640, height: 360, fps: 30)
        for (time, origin) in [(1, "a"), (2, "b")] as [(Int64, String)] {
            let ceiling = OutputCeiling(limit: limit, origin: origin)
            negotiator.set(
                demands: [OutputDemand(want: VideoSinkWant(), ceiling: ceiling)], at: time)
            #expect(negotiator.ceilings.map(\.origin) == ["session.maximum", origin])
            #expect(negotiator.track == limit)
        }
        #expect(negotiator.next(at: 3)?.suggested == limit)
        negotiator.answered(.answered(.accept))
        negotiator.set(demands: [OutputDemand(want: VideoSinkWant())], at: 4)
        #expect(negotiator.wake == 4 + Negotiator.riseNanoseconds)
    }

    // MARK: Which ceilings bind

    @Test func `the suggestion changes if any binding ceiling is removed`() {
        for seed in 0..<3000 {
            var random = SeededGenerator(seed: seed)
            let inputs = random.inputs()
            let suggested = inputs.offer(revision: 1, after: nil).suggested
            let (binding, others) = inputs.bindingCeilings()
            #expect(Set(binding + others) == Set(inputs.ceilings), "seed \(seed)")
            #expect(binding.count + others.count == inputs.ceilings.count, "seed \(seed)")
            func suggestion(under ceilings: [Ceiling]) -> VideoCapability {
                var changed = inputs
                changed.ceilings = ceilings
                return changed.offer(revision: 1, after: nil).suggested
            }
            #expect(suggestion(under: binding) == suggested, "seed \(seed)")
            for ceiling in binding {
                #expect(
                    suggestion(under: binding.filter { $0 != ceiling }) != suggested,
                    "seed \(seed): \(ceiling)")
            }
        }
    }

    @Test func `the older one of two equal ceilings binds`() {
        let limit = VideoCapability(width: 640, height: 360, fps: 15)
        let inputs = NegotiationInputs(
            rule: .rows, table: .standard,
            ceilings: [
                .sessionMaximum(VideoCapability(width: 1280, height: 720, fps: 30)),
                Ceiling(kind: .outside, origin: "control line 1", limit: limit, since: 9),
                Ceiling(kind: .ability, origin: "this machine", limit: limit, since: 4),
            ])
        let (binding, others) = inputs.bindingCeilings()
        #expect(binding.map(\.origin) == ["this machine"])
        #expect(others.map(\.origin) == ["session.maximum", "control line 1"])
    }
}
