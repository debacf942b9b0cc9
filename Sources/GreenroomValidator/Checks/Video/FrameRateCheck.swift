import GreenroomHarness
import GreenroomModel
import GreenroomRuntime
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    /// Counts the frames of two seconds of session time, or of forty frames, at a row of 30 a
    /// second, one of 15, and one of 60 that is offered alone, which a plugin may decline.
    ///
    /// On the virtual clock it counts again while each frame costs a sixth of its interval, as if
    /// drawing took that long: a schedule that counts from the start holds its rate; one that
    /// sleeps an interval after each frame does not.
    static let frameRate = Check(
        "video.rate", "the agreed frame rate", of: .cameras, limitSeconds: 90,
        rule: "A camera sends the agreed frame rate within 5 %.",
        why: "Missing frames are repeated, and extra ones are dropped.",
        measured: """
            30, 15 and 60 fps, even when drawing takes time; 60 fps may be refused, or \
            answered with another rate. Plugins without the session clock run in real \
            time.
            """,
        fix: "Wait with wait_until_ns for frame n, n intervals after the first."
    ) { examination throws(Verdict) in
        for test in RateTest.all {
            guard let plain = try examination.measureRate(test, charged: false) else { continue }
            guard plain.isRight else { throw .failed(plain.text).unless("lifecycle.whole-life") }
            guard !plain.isReal else { continue }
            guard let charged = try examination.measureRate(test, charged: true), !charged.isRight
            else { continue }
            throw .failed(
                "sends \(charged.text(1)) frames a second when a frame takes "
                    + "\(charged.chargeText) to draw, but agreed to \(charged.agreed.rate): wait "
                    + "until the start and n intervals, not for an interval after each frame")
        }
        return .passed()
    }
}

/// An offer for counting frames.
private struct RateTest {
    var row: VideoCapability
    /// Whether the row is not in the standard table: it is offered alone, as the session's maximum,
    /// and the plugin may decline it.
    var isAlone = false

    static let all = [
        RateTest(row: VideoCapability(width: 640, height: 360, fps: 30)),
        RateTest(row: VideoCapability(width: 320, height: 180, fps: 15)),
        RateTest(row: VideoCapability(width: 640, height: 360, fps: 60), isAlone: true),
    ]

    /// The number of attempts in real time while the machine is too busy.
    var realAttempts: Int { isAlone ? 1 : 3 }
    /// The minimum time of counting in real time.
    var realSeconds: Double { isAlone ? 2 : 3 }

    /// Initializes a plugin for it.
    ///
    /// - Returns: Whether to count.
    func initialize(_ fixture: Fixture) throws(Verdict) -> Bool {
        guard isAlone else {
            try fixture.initialize(fixture.offer(row))
            return true
        }
        // Unusual tables are subject of the negotiation checks.
        guard let offer = fixture.pluginHarness.nextOffer(maximum: row, table: [row]) else {
            return false
        }
        return fixture.make(.initialize, offer) == .done
    }
}

/// The number of frames, compared with the agreement.
private struct MeasuredRate {
    var agreed: VideoCapability
    var framesPerSecond: Double
    var charge: Int64
    var isReal: Bool

    var isRight: Bool {
        let ratio = framesPerSecond / agreed.rate.framesPerSecond
        return ratio >= 0.95 && ratio <= 1.05
    }

    func text(_ places: Int) -> String { decimal(framesPerSecond, places) }
    var chargeText: String { "\(decimal(Double(charge) / 1e6, 1)) ms" }

    var text: String {
        "sends \(text(1)) frames a second, but agreed to \(agreed.rate) for \(agreed.size): "
            + "keep within 5 %, or answer the rate that you make"
    }
}

extension Examination {
    /// - Returns: The rate; nil if the plugin refuses the offer of the test, which is allowed.
    fileprivate func measureRate(
        _ test: RateTest, charged: Bool
    ) throws(Verdict) -> MeasuredRate? {
        if isOffClock { return try measureRealRate(test) }
        let fixture = try fixture()
        try fixture.create()
        guard try test.initialize(fixture) else { return nil }
        let agreed = try fixture.agreed()
        let isOver = Monitor(false)
        let charge = charged ? Int64(1e9 / agreed.rate.framesPerSecond / 6) : 0
        if charged {
            let clock = fixture.clock
            fixture.record.onFrameSent { clock.pass(nanoseconds: charge, unless: isOver) }
        }
        try fixture.startSend()
        let seconds = max(2, 40 / agreed.rate.framesPerSecond)
        try fixture.waitForFirstFrame()
        try fixture.wait(seconds: 0.5)
        let begin = fixture.clock.now
        if !fixture.clock.isOffClock() { try fixture.wait(seconds: seconds) }
        let end = fixture.clock.now
        isOffClock = fixture.clock.isOffClock()
        isOver.change { $0 = true }
        fixture.finish()
        guard !isOffClock else { return try measureRealRate(test) }
        if fixture.pluginHarness.gaveUp != nil {
            throw .skipped("its frames end before there are enough to count")
        }
        let count = fixture.record.frames.count { $0.arrival >= begin && $0.arrival < end }
        return MeasuredRate(
            agreed: agreed, framesPerSecond: Double(count) / seconds, charge: charge, isReal: false)
    }

    /// Measures the rate in real time. Repeats the measurement while the machine is too busy.
    private func measureRealRate(_ test: RateTest) throws(Verdict) -> MeasuredRate? {
        var measured: MeasuredRate?
        for _ in 0..<test.realAttempts {
            let fixture = try fixture(on: .real)
            try fixture.create()
            guard try test.initialize(fixture) else { return nil }
            let agreed = try fixture.agreed()
            try fixture.startSend()
            try fixture.waitForFirstFrame()
            try fixture.wait(seconds: 0.5)
            let calm = SchedulingNoise(process: fixture.process.process)
            let begin = fixture.clock.now
            try fixture.wait(seconds: max(test.realSeconds, 40 / agreed.rate.framesPerSecond))
            let end = fixture.clock.now
            let isCalm = calm.wasCalm
            fixture.finish()
            let count = fixture.record.frames.count {
                $0.arrival >= begin && $0.arrival < end
            }
            let found = MeasuredRate(
                agreed: agreed, framesPerSecond: Double(count) * 1e9 / Double(end - begin),
                charge: 0, isReal: true)
            if found.isRight || isCalm { return found }
            measured = found
        }
        throw .notProven(
            "the machine was too busy to tell: it sent \(measured?.text(1) ?? "no") frames a second"
        )
    }
}
