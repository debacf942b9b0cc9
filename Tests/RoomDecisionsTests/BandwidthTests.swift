import GreenroomMedia
import RoomDecisions
import Testing

/// What a network carries, and what viewers get of it.
@Suite struct BandwidthTests {
    // MARK: The estimator

    /// A network with a queue: so much is sent into it, so much comes out.
    private struct Network {
        var bitsPerSecond: Double
        var loss = 0.0
        /// What waits, in bits; what is beyond the longest queue is lost.
        private var waiting = 0.0
        private var seconds = 0.0
        private let longestQueue = 0.6

        init(bitsPerSecond: Double, loss: Double = 0) {
            (self.bitsPerSecond, self.loss) = (bitsPerSecond, loss)
        }

        /// Sends for 100 ms.
        mutating func send(_ rate: Double) -> BandwidthEstimator.Feedback {
            seconds += 0.1
            let packets = max(1, Int(rate * 0.1 / 9600))
            waiting += rate * 0.1
            let sent = min(waiting, bitsPerSecond * 0.1)
            waiting -= sent
            let most = bitsPerSecond * longestQueue
            let dropped = max(0, waiting - most)
            waiting -= dropped
            let lost = min(packets, Int(dropped / 9600) + Int((Double(packets) * loss).rounded()))
            return BandwidthEstimator.Feedback(
                seconds: seconds, packets: packets, lost: lost,
                bytes: Int(sent * (1 - loss) / 8), delay: 100 + waiting / bitsPerSecond)
        }
    }

    /// Sends what is estimated, at most so much, and tells the estimate at the end of each second.
    private func run(
        _ network: inout Network, _ estimator: inout BandwidthEstimator, most: Double,
        seconds: Int
    ) -> [Double] {
        (0..<seconds).map { _ in
            for _ in 0..<10 {
                estimator.add(network.send(min(most, estimator.bitsPerSecond)))
            }
            return estimator.bitsPerSecond
        }
    }

    @Test func `the estimate grows by 8 % a second while the network carries everything`() {
        var (network, estimator) = (Network(bitsPerSecond: 50e6), BandwidthEstimator())
        let first = estimator.bitsPerSecond
        let estimates = run(&network, &estimator, most: 2e6, seconds: 10)
        #expect(estimates == estimates.sorted())
        let growth = estimator.bitsPerSecond / first
        #expect((1.9...2.3).contains(growth), "\(growth)")
    }

    @Test(arguments: [400e3, 1.2e6, 2.5e6])
    func `the estimate finds a narrow network within 2 s and stays near its rate`(carries: Double) {
        var (network, estimator) = (Network(bitsPerSecond: carries), BandwidthEstimator())
        let estimates = run(&network, &estimator, most: 4e6, seconds: 40)
        #expect(estimates[1] < carries * 1.1, "\(estimates)")
        for estimate in estimates.dropFirst(5) {
            #expect(estimate > carries * 0.4 && estimate < carries * 1.3, "\(estimates)")
        }
    }

    @Test func `the estimate recovers after the network becomes faster again`() {
        var (network, estimator) = (Network(bitsPerSecond: 20e6), BandwidthEstimator())
        _ = run(&network, &estimator, most: 3e6, seconds: 5)
        network.bitsPerSecond = 1.2e6
        let capped = run(&network, &estimator, most: 3e6, seconds: 10)
        #expect(capped[9] < 1.5e6, "\(capped)")
        network.bitsPerSecond = 20e6
        let freed = run(&network, &estimator, most: 3e6, seconds: 20)
        #expect(freed[19] > 3e6, "\(freed)")
    }

    @Test(arguments: [
        (loss: 0.0, grows: true, falls: false), (0.05, false, false), (0.3, false, true),
    ])
    func `a loss of 2 % holds the estimate, and a loss of 10 % lowers it`(
        loss: Double, grows: Bool, falls: Bool
    ) {
        var network = Network(bitsPerSecond: 50e6, loss: loss)
        var estimator = BandwidthEstimator()
        let first = estimator.bitsPerSecond
        _ = run(&network, &estimator, most: 3e6, seconds: 6)
        #expect((estimator.bitsPerSecond > first * 1.01) == grows)
        #expect((estimator.bitsPerSecond < first * 0.99) == falls)
        #expect(abs(estimator.loss - loss) < 0.03, "\(estimator.loss)")
    }

    @Test func `implausible feedback keeps the estimate within its limits`() {
        var estimator = BandwidthEstimator()
        let odd: [BandwidthEstimator.Feedback] = [
            .init(seconds: 10, packets: 0, lost: 0, bytes: 0, delay: nil),
            .init(seconds: 10, packets: 5, lost: 9, bytes: 0, delay: 1e9),
            .init(seconds: 3, packets: 5, lost: 5, bytes: .max / 16, delay: -1e9),
            .init(seconds: 1e9, packets: 500, lost: 500, bytes: 0, delay: nil),
            .init(seconds: 1e9, packets: 1, lost: 0, bytes: 1, delay: 0.1),
        ]
        for feedback in odd + odd { estimator.add(feedback) }
        #expect(estimator.bitsPerSecond >= BandwidthEstimator.least)
        #expect(estimator.bitsPerSecond <= BandwidthEstimator.most)
    }

    @Test func `a delay while little is sent lowers the estimate only a little`() {
        var (network, estimator) = (Network(bitsPerSecond: 20e6), BandwidthEstimator())
        for step in 0..<100 {
            var feedback = network.send(100e3)
            // A machine that is busy for a second.
            if (50..<60).contains(step) { feedback.delay? += 0.3 }
            estimator.add(feedback)
        }
        #expect(estimator.bitsPerSecond >= 300e3, "\(estimator.bitsPerSecond)")
    }

    // MARK: The plan

    private static let whole = VideoCapability(width: 1280, height: 720, fps: 30)

    private func wish(_ slot: Int, _ lines: Int) -> SlotPlan.Wish {
        SlotPlan.Wish(slot: slot, lines: lines, whole: Self.whole)
    }

    private func shown(_ shares: [Int: SlotPlan.Share]) -> [Int: Rendition?] {
        shares.mapValues(\.rendition)
    }

    @Test(
        arguments: [
            // What the network carries, and what the large and the small video get.
            (nil, Rendition.full, Rendition.half, false, false),
            (10e6, .full, .half, false, false),
            (3e6, .half, .half, true, false),
            (1.7e6, .half, .half, true, false),
            (1e6, .low, .low, true, true),
            (400e3, .low, nil, true, true),
            (0, .low, nil, true, true),
        ] as [(Double?, Rendition, Rendition?, Bool, Bool)])
    func `large videos get bandwidth first, and small videos pause first`(
        budget: Double?, large: Rendition, small: Rendition?, lowersLarge: Bool, lowersSmall: Bool
    ) {
        var plan = SlotPlan()
        let shares = plan.shares(of: [wish(0, 180), wish(1, 720)], within: budget, at: 0)
        #expect(shares[1]?.rendition == large)
        #expect(shares[0]?.rendition == small)
        #expect(shares[1]?.isLowered == lowersLarge)
        #expect(shares[0]?.isLowered == lowersSmall)
        if let budget, budget > 300e3 {
            let bits = shares.values.compactMap { $0.rendition?.bitsPerSecond(of: Self.whole) }
            #expect(Double(bits.reduce(0, +)) <= budget)
        }
    }

    @Test(
        arguments: [
            // The network's capacity, and the rendition of a small tile and of a large one.
            (nil, Rendition.full, Rendition.full), (2e6, .full, .full), (900e3, .half, .full),
            (300e3, .half, .half), (80e3, nil, .low),
        ] as [(Double?, Rendition?, Rendition)])
    func
        `a guest's packets are forwarded whatever the size of the tile, if the network carries them`(
            budget: Double?, small: Rendition?, large: Rendition
        )
    {
        var plan = SlotPlan()
        let wishes = [(0, 180), (1, 720)].map {
            SlotPlan.Wish(
                slot: $0.0, lines: $0.1, whole: VideoCapability(width: 640, height: 360, fps: 20),
                sent: [.full: .init(bitsPerSecond: 600_000, lines: 360)])
        }
        let shares = plan.shares(of: wishes, within: budget, at: 0)
        #expect(shares[1]?.rendition == large && shares[0]?.rendition == small, "\(shares)")
    }

    @Test(
        arguments: [
            // The accepted layers, the network's capacity, and the rendition in which each layer is sent.
            ([.full, .half, .low], nil, [Rendition.full, .half, .low]),
            ([.full, .half, .low], 4e6, [.full, .half, .low]),
            ([.full, .half, .low], 2e6, [nil, .half, .low]),
            ([.full, .half, .low], 500e3, [nil, nil, .low]),
            ([.full, .half, .low], 0, [nil, nil, .low]),
            // Without the low layer, the half one becomes low; without a half layer, the full one becomes half.
            ([.full, .half], 4e6, [.full, .half]), ([.full, .half], 500e3, [nil, .low]),
            ([.full, .low], 1.2e6, [.half, .low]), ([.full, .low], 500e3, [nil, .low]),
            ([.full], 4e6, [.full]), ([.full], 500e3, [.low]), ([.low], 4e6, [.low]),
        ] as [([Rendition], Double?, [Rendition?])])
    func `a server gets the layers that the network carries, the lowest first`(
        layers: [Rendition], budget: Double?, sent: [Rendition?]
    ) {
        var plan = SlotPlan()
        let allowed = Simulcast.renditions(of: layers)
        let wishes = layers.enumerated().map { slot, layer in
            SlotPlan.Wish(
                slot: slot, lines: SlotWish.mostLines, whole: Self.whole,
                allowed: allowed[layer] ?? .low ... .full)
        }
        let shares = plan.shares(of: wishes, within: budget, at: 0)
        #expect(layers.indices.map { shares[$0]?.rendition } == sent)
    }

    @Test func `a full layer that was too much waits, and lower layers continue`() {
        var plan = SlotPlan()
        let allowed = Simulcast.renditions(of: Simulcast.offered)
        let wishes = Simulcast.offered.enumerated().map { slot, layer in
            SlotPlan.Wish(
                slot: slot, lines: SlotWish.mostLines, whole: Self.whole,
                allowed: allowed[layer] ?? .low ... .full)
        }
        func sent(_ budget: Double, _ now: Double) -> [Int] {
            let shares = plan.shares(of: wishes, within: budget, at: now)
            return shares.filter { $0.value.rendition != nil }.keys.sorted()
        }
        #expect(sent(4e6, 0) == [0, 1, 2])
        #expect(sent(2e6, 1) == [1, 2])
        #expect(sent(4e6, 5) == [1, 2])
        // The half layer may return before the full one.
        #expect(sent(400e3, 5.5) == [2] && sent(2e6, 6) == [2])
        #expect(sent(2e6, 15) == [2] && sent(2e6, 16) == [1, 2])
        #expect(sent(4e6, 17) == [0, 1, 2])
    }

    @Test func `a full rendition starts with spare bandwidth, and returns ever later`() {
        var plan = SlotPlan()
        let wishes = [wish(0, 720)]
        func rendition(_ budget: Double, _ now: Double) -> Rendition? {
            plan.shares(of: wishes, within: budget, at: now)[0]?.rendition
        }
        #expect(rendition(2.4e6, 0) == .half)
        #expect(rendition(2.9e6, 1) == .full)
        #expect(rendition(2.4e6, 2) == .full)
        // Too much after all: it waits, the second time longer.
        #expect(rendition(1.2e6, 3) == .half)
        #expect(rendition(3e6, 12) == .half)
        #expect(rendition(3e6, 14) == .full)
        #expect(rendition(1.2e6, 15) == .half)
        #expect(rendition(3e6, 30) == .half)
        #expect(rendition(3e6, 36) == .full)
    }

    @Test func `after a half rendition was too much, half and full renditions wait`() {
        var plan = SlotPlan()
        let wishes = [wish(0, 720)]
        func rendition(_ budget: Double, _ now: Double) -> Rendition? {
            plan.shares(of: wishes, within: budget, at: now)[0]?.rendition
        }
        #expect(rendition(800e3, 0) == .low)
        #expect(rendition(900e3, 1) == .half)
        #expect(rendition(750e3, 2) == .half)
        #expect(rendition(700e3, 3) == .low)
        #expect(rendition(3e6, 12) == .low)
        // One step at a time.
        #expect(rendition(3e6, 14) == .half)
        #expect(rendition(3e6, 15) == .full)
    }

    @Test func `a paused video returns after a longer wait each time`() {
        var plan = SlotPlan()
        let wishes = [wish(0, 720), wish(1, 720)]
        func second(_ budget: Double, _ now: Double) -> Rendition? {
            plan.shares(of: wishes, within: budget, at: now)[1]?.rendition
        }
        #expect(second(600e3, 0) == .low)
        #expect(second(400e3, 1) == nil)
        #expect(second(600e3, 10) == nil)
        #expect(second(600e3, 12) == .low)
        #expect(second(400e3, 13) == nil)
        #expect(second(600e3, 30) == nil)
        #expect(second(600e3, 34) == .low)
    }

    @Test func `a new video starts at half size, even while another waits for full size`() {
        var plan = SlotPlan()
        #expect(plan.shares(of: [wish(0, 720)], within: 3e6, at: 0)[0]?.rendition == .full)
        #expect(plan.shares(of: [wish(0, 720)], within: 1.8e6, at: 1)[0]?.rendition == .half)
        let shares = plan.shares(of: [wish(0, 720), wish(1, 720)], within: 4e6, at: 2)
        #expect(shown(shares) == [0: .half, 1: .half])
    }

    // MARK: Renditions and ceilings

    @Test(arguments: [
        ("1280x720", "640x360"), ("858x480", "428x240"), ("353x241", "176x120"), ("3x3", "2x2"),
    ])
    func `half sizes are even`(whole: String, half: String) throws {
        let size = try #require(FrameSize(whole))
        #expect(Rendition.half.size(of: size).description == half)
        #expect(Rendition.full.size(of: size) == size)
    }

    @Test func `a ceiling is set after 3 s without a viewer whose network carries more`() {
        var rule = CeilingRule()
        let steps: [(wanted: Bool, isCarried: Bool, at: Double, isNews: Bool, isSet: Bool)] = [
            (true, false, 0, false, false), (true, true, 1, false, false),
            (true, false, 2, false, false), (true, false, 4.9, false, false),
            (true, false, 5, true, true), (true, false, 6, false, true),
            // What is tried is too much.
            (true, true, 7, false, true), (true, true, 9, false, true),
            (true, false, 10, false, true), (true, true, 11, false, true),
            (true, true, 14, true, false), (true, false, 15, false, false),
            (true, false, 18, true, true), (false, false, 19, false, true),
            (false, false, 22, true, false),
        ]
        for step in steps {
            let isNews = rule.follow(wanted: step.wanted, isCarried: step.isCarried, at: step.at)
            #expect(isNews == step.isNews && rule.isSet == step.isSet, "\(step)")
        }
    }

    // MARK: Limits

    @Test func `an isolated room has places for all guests and all viewers`() {
        let (viewers, guests) = (RoomLimits.viewers, RoomLimits.guests)
        #expect(RoomLimits.fits(viewers: viewers, senders: guests, openFiles: Limits.threads))
        #expect(!RoomLimits.fits(viewers: 25, senders: 0, openFiles: 256))
    }

    @Test(arguments: [
        // Guests with layers, each of whom watches, and the limit of threads.
        (0, 256, true), (3, 256, true), (4, 256, false), (21, 1024, true), (22, 1024, false),
        (60, -1, true),
    ])
    func `guests send layers while a quarter of the threads remains`(
        guests: Int, threads: Int, mayLayer: Bool
    ) {
        // Each guest's page watches before it joins.
        #expect(
            RoomLimits.mayLayer(
                viewers: guests + 1, senders: guests, layered: guests, openFiles: threads)
                == mayLayer)
        if mayLayer {
            #expect(
                RoomLimits.fits(
                    viewers: guests + 2, senders: guests + 1, layered: guests + 1,
                    openFiles: threads))
        }
        #expect(!RoomLimits.fits(viewers: 10, senders: 8, layered: 1, openFiles: 256))
        let places = RoomLimits.placesLeft(
            viewers: 8, guests: 4, shares: 0, layered: 4, openFiles: 256)
        #expect(places == (6, 2))
    }

    @Test(arguments: [
        (viewers: 0, guests: 0, files: 256, left: (24, 8)), (24, 0, 256, (0, 0)),
        (23, 0, 256, (1, 0)), (10, 8, 256, (0, 0)), (8, 4, 256, (10, 3)), (0, 16, 1024, (60, 0)),
        (60, 3, 1024, (0, 0)),
        (58, 3, 1024, (2, 2)), (0, 0, -1, (60, 16)),
    ])
    func `a room has a place for a guest if it has one for a viewer, too`(
        viewers: Int, guests: Int, files: Int, left: (Int, Int)
    ) {
        let places = RoomLimits.placesLeft(
            viewers: viewers, guests: guests, shares: 0, openFiles: files)
        #expect(places == left)
    }

    // MARK: Wishes

    @Test func `a request names existing slots, each of them once`() throws {
        let good = [
            SlotWish(slot: 0, stream: 3, lines: 720), SlotWish(slot: 1, stream: 3, lines: 0),
        ]
        try SlotWish.check(good, slots: 2)
        for (wrong, slots) in [
            (good, 1), (good + [good[0]], 2), ([SlotWish(slot: -1, stream: 1, lines: 1)], 2),
            ([SlotWish(slot: 0, stream: 1, lines: 10_001)], 2),
            ([SlotWish(slot: 0, stream: 1, lines: -1)], 2),
        ] {
            #expect(throws: RequestError.self) { try SlotWish.check(wrong, slots: slots) }
        }
    }
}
