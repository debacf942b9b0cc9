import TestSupport
import Testing

@testable import GreenroomRuntime

/// The clock of a machine after ten hours.
private let now: Int64 = 36_000_000_000_000
private let wall: Int64 = 1_790_000_000_000_000_000

@Suite(.ownThreads) struct TimestampNormalizerTests {
    /// A camera with known true times: frames are captured at even times and arrive slightly late.
    private struct Camera {
        var fps = 30.0
        /// Maximum variable delay of a frame, in milliseconds.
        var jitter = 20.0
        /// Constant delay, in milliseconds.
        var delay = 0.0
        /// How much faster the clock of its timestamps runs, in ppm.
        var ppm = 0.0
        /// The unit of timestamps, and their first value.
        var unit = 1.0
        var beginning: Double? = Double(now)
        /// Seconds with an additional delay, and its milliseconds.
        var load: (seconds: Range<Double>, milliseconds: Double)?

        /// The result of a run.
        struct Result {
            /// The maximum error of the result, in milliseconds, after settling.
            var worst = 0.0
            /// The maximum difference between the errors of consecutive frames.
            var jerk = 0.0
            var follower = TimestampNormalizer()
            var anomalies: [TimestampAnomaly] = []
        }

        func run(seconds: Double, settling: Double = 0) -> Result {
            var result = Result()
            var random = SeededGenerator(seed: 11)
            var lastArrival = now
            var lastMoment = Int64.min
            var lastError: Double?
            for index in 0..<Int(seconds * fps) {
                let time = Double(index) / fps
                var lateness = delay + jitter * random.unit() * random.unit()
                if let load, load.seconds.contains(time) { lateness += load.milliseconds }
                let arrival = max(lastArrival, now + Int64(time * 1e9 + lateness * 1e6))
                lastArrival = arrival
                let pts = beginning.map {
                    Int64(($0 + time * 1e9 * (1 + ppm / 1e6)) / unit)
                }
                let (moment, anomaly) = result.follower.follow(pts, arrival: arrival)
                #expect(moment >= lastMoment, "it goes back at \(time) s")
                lastMoment = moment
                if let anomaly { result.anomalies.append(anomaly) }
                guard time >= settling else { continue }
                let error = (Double(moment - now) - time * 1e9) / 1e6
                result.worst = max(result.worst, abs(error))
                if let lastError { result.jerk = max(result.jerk, abs(error - lastError)) }
                lastError = error
            }
            return result
        }
    }

    @Test(arguments: [0, -1, 1, -5_000_000_000, 1_000_000_000, -40_000_000] as [Int64])
    func `a timestamp near its arrival is unchanged`(offset: Int64) {
        var follower = TimestampNormalizer()
        for frame in 0..<100 {
            let arrival = now + Int64(frame) * 33_333_333
            let (moment, anomaly) = follower.follow(arrival + offset, arrival: arrival)
            #expect(moment == arrival + offset)
            #expect(anomaly == nil)
        }
        #expect(follower.counts == TimestampNormalizer.Counts())
        #expect(follower.driftPPM == nil)
    }

    @Test func `a frame without a timestamp is shown at its arrival`() {
        var follower = TimestampNormalizer()
        let first = follower.follow(nil, arrival: now)
        #expect(first.moment == now && first.anomaly == .missing)
        let second = follower.follow(nil, arrival: now + 30)
        #expect(second.moment == now + 30 && second.anomaly == nil)
        #expect(follower.counts.missing == 2)
    }

    @Test func `a timestamp that goes backward is counted, and its frame keeps the last time`() {
        var follower = TimestampNormalizer()
        let period: Int64 = 33_333_333
        // The order in which a careless decoder returns frames.
        var shown: [Int64] = []
        var anomalies: [TimestampAnomaly] = []
        for (index, frame) in [0, 3, 1, 2, 6, 4, 5, 7].enumerated() {
            let (moment, anomaly) = follower.follow(
                now + Int64(frame) * period, arrival: now + Int64(index) * period)
            shown.append((moment - now) / period)
            if let anomaly { anomalies.append(anomaly) }
        }
        #expect(shown == [0, 3, 3, 3, 6, 6, 6, 7])
        #expect(follower.counts.backward == 2)
        #expect(anomalies == [.backward(by: 2 * period)])
        // Small steps backward are corrected without a report.
        _ = follower.follow(now + 8 * period, arrival: now + 8 * period)
        let rounded = follower.follow(now + 8 * period - 1_000_000, arrival: now + 8 * period)
        #expect(rounded.moment == now + 8 * period)
        #expect(follower.counts.backward == 2)
    }

    /// Clocks of timestamps: kind, first value, unit, and name.
    private static let clocks: [(TimestampAnomaly.Clock, Double, StampUnit)] = [
        (.wall, Double(wall), .nanoseconds), (.wall, Double(wall), .microseconds),
        (.wall, Double(wall), .milliseconds), (.wall, Double(wall), .ticks),
        // Ticks since the year 1.
        (.wall, 6.392e19, .ticks),
        (.counter, 0, .nanoseconds), (.counter, 0, .microseconds), (.counter, 0, .milliseconds),
        (.counter, 0, .ticks), (.counter, 7.2e15, .nanoseconds),
        (.session, Double(now), .microseconds), (.session, Double(now), .milliseconds),
        (.session, Double(now), .ticks),
    ]

    @Test(arguments: clocks)
    func `timestamps of another clock are detected, named and mapped`(
        clock: TimestampAnomaly.Clock, beginning: Double, unit: StampUnit
    ) throws {
        let camera = Camera(unit: Double(unit.nanoseconds), beginning: beginning)
        let result = camera.run(seconds: 600, settling: 3)
        // The minimum delay is the best estimate, and milliseconds are no finer.
        #expect(result.worst < 2, "\(result.worst) ms")
        #expect(result.jerk < 1.1, "jitter of arrival is in the picture: \(result.jerk) ms")
        #expect(result.anomalies.count == 1)
        guard case .foreign(clock, unit, _, _) = try #require(result.anomalies.first) else {
            Issue.record("\(result.anomalies)")
            return
        }
        #expect(result.follower.counts.foreign == 18_000)
        #expect(result.follower.counts.jumps == 0)
        #expect(result.follower.driftPPM == nil)
    }

    @Test func `frames with timestamps of no clock are shown at their arrival`() {
        for step in [0, 1, 3] as [Int64] {
            var follower = TimestampNormalizer()
            var anomalies: [TimestampAnomaly] = []
            for frame in 0..<300 as Range<Int64> {
                let arrival = now + frame * 33_333_333
                let (moment, anomaly) = follower.follow(frame * step, arrival: arrival)
                #expect(moment == arrival)
                if let anomaly { anomalies.append(anomaly) }
            }
            #expect(anomalies.count == 1)
            #expect(follower.counts.foreign == 300)
        }
    }

    @Test(arguments: [Int64.max, .max - 1, 0, 1, .min + 1, -5] as [Int64])
    func `extreme timestamps neither trap nor show a frame too far ahead`(pts: Int64) {
        for other in [Int64.max, 0, now, wall, .min + 1, now / 1000] as [Int64] {
            var follower = TimestampNormalizer()
            for frame in 0..<500 as Range<Int64> {
                let arrival = now + frame * 33_333_333
                let stamp = frame % 50 == 0 ? pts : other &+ frame &* 33_333_333
                let (moment, _) = follower.follow(stamp, arrival: arrival)
                #expect(moment <= arrival + TimestampNormalizer.maximumLead)
            }
        }
        var follower = TimestampNormalizer()
        #expect(follower.follow(pts, arrival: .max - 5).moment <= .max)
        #expect(follower.follow(pts, arrival: 0).moment <= .max)
    }

    @Test(arguments: Nightly.pairs([20.0, -20, 100, -100, 200, -200, 1000, -1000], [0.0, 20, 60]))
    func `a drifting clock is detected, and the picture is stable for hours`(
        ppm: Double, jitter: Double
    ) throws {
        for beginning in [Double(now), 0] {
            let camera = Camera(jitter: jitter, ppm: ppm, beginning: beginning)
            let result = camera.run(
                seconds: Nightly.value(3, byDay: 1) * 3600, settling: beginning == 0 ? 3 : 0)
            #expect(result.worst < 10, "\(result.worst) ms")
            let found = try #require(result.follower.driftPPM)
            #expect(abs(found - ppm) < max(4, abs(ppm) / 100), "\(found)")
            let drifts = result.anomalies.filter { if case .drifting = $0 { true } else { false } }
            #expect(drifts.count == 1)
            #expect(result.follower.counts.jumps == 0)
            #expect(result.jerk < 1, "\(result.jerk) ms from one frame to the next")
        }
    }

    @Test(arguments: Nightly.value([1.0, -1, 5, -5], byDay: [1.0, -5]))
    func `the slowest drift is detected before it is visible`(ppm: Double) {
        let result = Camera(ppm: ppm).run(seconds: 6 * 3600)
        #expect(result.worst < 10, "\(result.worst) ms")
    }

    @Test(arguments: [5.0, 15, 60])
    func `drift is detected at any frame rate`(fps: Double) throws {
        let result = Camera(fps: fps, jitter: 10, ppm: 300).run(seconds: 3600)
        #expect(result.worst < 10, "\(result.worst) ms")
        #expect(abs(try #require(result.follower.driftPPM) - 300) < 10)
    }

    @Test(
        arguments: Nightly.pairs(
            [3.0, 8, 40, 400], [60.0..<70, 60..<600, 1800..<1812, 100..<2000]))
    func `load is not taken for drift`(milliseconds: Double, seconds: Range<Double>) {
        var camera = Camera(load: (seconds, milliseconds))
        let loaded = camera.run(seconds: 3600)
        #expect(loaded.follower.driftPPM == nil)
        #expect(loaded.worst < 0.001, "\(loaded.worst) ms: stamps on the session clock stay")
        // Load does not hide drift either.
        camera.ppm = 100
        let drifting = camera.run(seconds: 3600)
        #expect(drifting.worst < 10, "\(drifting.worst) ms")
    }

    @Test(arguments: [50.0, 900, 4900])
    func `a constant delay is kept`(delay: Double) {
        let result = Camera(delay: delay).run(seconds: 3600)
        #expect(result.worst < 0.001)
        #expect(result.anomalies.isEmpty)
    }

    @Test func `a source that restarts its clock is followed, and counted`() {
        var follower = TimestampNormalizer()
        var jumps: [TimestampAnomaly] = []
        let period: Int64 = 33_333_333
        for frame in 0..<3000 as Range<Int64> {
            let arrival = now + frame * period
            let (moment, anomaly) = follower.follow(frame % 1000 * period, arrival: arrival)
            if case .jumped = anomaly { jumps.append(.missing) }
            #expect(abs(moment - arrival) < 1_000_000)
        }
        #expect(follower.counts.jumps == 2)
        #expect(follower.counts.backward == 2)
    }

    @Test func `a counter that stopped during a suspend is followed`() {
        var follower = TimestampNormalizer()
        let period: Int64 = 33_333_333
        for frame in 0..<3000 as Range<Int64> {
            let slept: Int64 = frame < 1000 ? 0 : 7_000_000_000
            let arrival = now + frame * period + slept
            let (moment, _) = follower.follow(frame * period, arrival: arrival)
            // Certainty takes three windows of five seconds.
            if frame < 1000 || frame > 1600 { #expect(abs(moment - arrival) < 1_000_000) }
        }
        #expect(follower.counts.jumps == 1)
    }

    @Test func `every anomaly has a text with its fix`() {
        let anomalies: [TimestampAnomaly] = [
            .missing, .backward(by: 40_000_000), .drifting(ppm: -212.4),
            .jumped(by: -5_000_000_000),
            .foreign(.wall, .microseconds, pts: 1_790_000_000_000_000, arrival: now),
            .foreign(.counter, .ticks, pts: 333_333, arrival: now),
            .foreign(.session, .milliseconds, pts: 36_000_000, arrival: now),
            .foreign(.unknown, nil, pts: 3, arrival: now),
        ]
        for anomaly in anomalies {
            let text = anomaly.text(of: "frames")
            #expect(text.hasSuffix("tamp with now_ns."), "\(text)")
        }
        #expect(anomalies[2].text(of: "frames").contains("212 ppm slower"))
        #expect(anomalies[3].text(of: "frames").contains("5000 ms"))
        #expect(anomalies[4].text(of: "frames").contains("wall clock's time in microseconds"))
    }
}
