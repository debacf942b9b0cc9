import GreenroomHarness
import GreenroomNegotiation
import GreenroomModel
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

/// A run of a video source.
struct VideoScenario {
    /// The suggested row, if the plugin can send it.
    var row = VideoCapability(width: 640, height: 360, fps: 30)
    /// The offered sizes; nil if the standard sizes.
    var table: [VideoCapability]?
    /// The duration of sending, in seconds of session time.
    var seconds: Double
    /// The watch of the plugin's leases; nil if none.
    var leases: LeaseWatch?
}

extension Examination {
    /// Runs a video source for a while on the virtual clock, or on the real clock if the plugin
    /// does not use the session clock.
    ///
    /// - Parameter prepare: Called before each run, with its fixture.
    /// - Returns: The ended run.
    @discardableResult
    func show(
        _ scenario: VideoScenario, prepare: (Fixture) -> Void = { _ in }
    ) throws(Verdict) -> Fixture {
        if !isOffClock {
            let fixture = try self.fixture(leases: scenario.leases)
            prepare(fixture)
            try fixture.show(scenario)
            isOffClock = fixture.clock.isOffClock()
            if !isOffClock { return fixture }
        }
        let real = try self.fixture(on: .real, leases: scenario.leases)
        prepare(real)
        try real.show(scenario)
        return real
    }
}

extension Fixture {
    /// Runs the plugin and lets it send for a while.
    fileprivate func show(_ scenario: VideoScenario) throws(Verdict) {
        try create()
        do throws(Verdict) {
            try initialize(offer(scenario.row, table: scenario.table))
        } catch {
            // Another check covers tables of one row.
            guard error.suspect == "negotiation.answer-in-offer", scenario.table?.count == 1 else {
                throw error
            }
            throw .hindered(by: "negotiation.one-row", error.text)
        }
        try startSend()
        try wait(seconds: scenario.seconds)
        try waitForFirstFrame()
        finish()
    }

    /// Waits for up to two more seconds: a slow camera delays its first frame, and a busy machine
    /// the first frame of a source off the clock.
    func waitForFirstFrame() throws(Verdict) {
        for _ in 0..<20 where record.frames.isEmpty { try wait(seconds: 0.1) }
    }

    /// An offer that suggests a row, if the plugin can send it.
    ///
    /// For a share the row is the session's maximum. Under a ceiling the suggestion would have the
    /// maximum's aspect ratio.
    func offer(_ row: VideoCapability, table: [VideoCapability]? = nil) -> Offer? {
        kind.offerRule == .upTo
            ? pluginHarness.nextOffer(maximum: row)
            : pluginHarness.nextOffer(ceiling: row, table: table)
    }

    /// Ends a checked run, ignoring the result.
    func finish() {
        _ = pluginHarness.stopSend()
        _ = pluginHarness.uninitialize()
        _ = pluginHarness.destroy()
        pluginHarness.leave()
    }

    /// The agreed capability.
    func agreed() throws(Verdict) -> VideoCapability {
        guard let agreement = pluginHarness.agreement else {
            throw .hindered(by: "lifecycle.whole-life", "no agreed size")
        }
        return agreement.source
    }

    /// The arrived frames; throws if there are fewer than a check needs.
    func frames(atLeast count: Int) throws(Verdict) -> [Record.Frame] {
        let frames = record.frames
        if frames.isEmpty, kind.offerRule == .rows, pluginHarness.gaveUp == nil {
            throw .hindered(by: "video.rate", "sent no frame")
        }
        guard frames.count >= count else {
            throw .skipped(
                "sent \(frames.count) of the \(count) frames that the check needs")
        }
        return frames
    }
}
