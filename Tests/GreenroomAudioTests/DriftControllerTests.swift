import Testing

@testable import GreenroomAudio

@Suite struct DriftControllerTests {
    /// A session and a card with different clocks, in simulated time.
    private struct Simulation {
        var controller = DriftController(target: 3840)
        /// The card's clock relative to the session's, in ppm.
        var ppm: Double
        /// Maximum delay of each 10 ms block, in milliseconds.
        var jitter: Double
        var fill = 3840.0
        var lowest = Double.infinity
        var highest = -Double.infinity
        private var random = SystemlessGenerator(state: 7)

        init(ppm: Double, jitter: Double) {
            self.ppm = ppm
            self.jitter = jitter
        }

        /// Runs for some session time; records the range of the fill after settling.
        mutating func run(seconds: Int, settling: Int) {
            var lateness = 0.0
            for block in 0..<(seconds * 100) {
                let previous = lateness
                lateness = jitter * random.unit()
                let elapsed = 10 + lateness - previous
                fill -= elapsed * 48 * (1 + ppm / 1e6)
                if block > settling * 100 { lowest = min(lowest, fill) }
                fill += 480 * (1 + controller.stretchPPM / 1e6)
                if block > settling * 100 { highest = max(highest, fill) }
                _ = controller.observe(fill: fill, after: 480)
            }
        }
    }

    /// Numbers that are equal in each run.
    private struct SystemlessGenerator {
        var state: UInt64

        mutating func unit() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }
    }

    @Test(arguments: [300.0, -300, 50, 0], [0.0, 10])
    func `the buffer's fill stays stable, and the drift is estimated within 15 ppm`(
        ppm: Double, jitter: Double
    ) {
        var simulation = Simulation(ppm: ppm, jitter: jitter)
        simulation.run(seconds: 3600, settling: 0)
        #expect(simulation.lowest > 3840 - 480 - 900, "an underrun is near")
        #expect(simulation.highest < 3840 + 900)
        #expect(abs(simulation.controller.driftPPM - ppm) < 15)
        // After settling, only blocks and jitter move it.
        simulation.lowest = .infinity
        simulation.highest = -.infinity
        simulation.run(seconds: 600, settling: 0)
        #expect(simulation.lowest > 3840 - 480 - 48 * jitter - 100)
        #expect(simulation.highest < 3840 + 48 * jitter + 100)
    }

    @Test func `the correction of an extreme drift is limited, and a restart forgets the drift`() {
        var simulation = Simulation(ppm: 5000, jitter: 0)
        simulation.run(seconds: 600, settling: 0)
        #expect(simulation.controller.stretchPPM == DriftController.limit)
        simulation.ppm = 100
        simulation.fill = 3840
        simulation.controller.restart()
        simulation.run(seconds: 1200, settling: 0)
        #expect(abs(simulation.controller.driftPPM - 100) < 15)
    }

    @Test func `a jump of the buffer's fill does not change the drift estimate`() {
        var simulation = Simulation(ppm: 100, jitter: 0)
        simulation.run(seconds: 1200, settling: 0)
        simulation.fill += 3000
        simulation.run(seconds: 30, settling: 0)
        #expect(abs(simulation.controller.driftPPM - 100) < 15)
        simulation.run(seconds: 1200, settling: 0)
        #expect(abs(simulation.controller.driftPPM - 100) < 15)
        #expect(abs(simulation.fill - 3840) < 20)
    }

    @Test func `the correction changes at most once a second`() {
        var controller = DriftController(target: 1000)
        for _ in 0..<99 {
            let isNew = controller.observe(fill: 5000, after: 480)
            #expect(!isNew)
        }
        #expect(controller.stretchPPM == 0)
        let isNew = controller.observe(fill: 5000, after: 480)
        #expect(isNew)
        #expect(controller.stretchPPM < 0)
    }
}
