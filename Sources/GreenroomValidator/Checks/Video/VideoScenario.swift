import GreenroomHarness
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia

/// What a source is to show while it is looked at.
struct VideoScenario {
    /// What the offer suggests, if the plugin can make it.
    var row = VideoCapability(width: 640, height: 360, fps: 30)
    /// The sizes that are offered; nil for the standard ones.
    var table: [VideoCapability]?
    /// How long it sends, in seconds of session time.
    var seconds: Double
    /// How its frames are lent to it; nil for as in a session.
    var leases: LeaseWatch?
}

extension Examination {
    /// Has a source of pictures send for a while, on the virtual clock; on the real one if the plugin
    /// does not keep to the session's.
    ///
    /// - Parameter prepare: Called before each life, with what is looked at it.
    /// - Returns: The life, which is over.
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
    /// Leads the plugin through a life in which it sends for a while.
    fileprivate func show(_ scenario: VideoScenario) throws(Verdict) {
        try create()
        do throws(Verdict) {
            try initialize(offer(scenario.row, table: scenario.table))
        } catch {
            // What a plugin makes of a table of one row is looked at elsewhere.
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

    /// Waits for up to two seconds more: a slow camera keeps its first frame back, and a busy machine
    /// a offTheClock's.
    func waitForFirstFrame() throws(Verdict) {
        for _ in 0..<20 where record.frames.isEmpty { try wait(seconds: 0.1) }
    }

    /// An offer that suggests a row, if the plugin can make it.
    ///
    /// A share gets it as the session's maximum: under a ceiling it would be suggested what is as
    /// wide for its height as the maximum is.
    func offer(_ row: VideoCapability, table: [VideoCapability]? = nil) -> Offer? {
        kind.offerRule == .upTo
            ? pluginHarness.nextOffer(maximum: row)
            : pluginHarness.nextOffer(ceiling: row, table: table)
    }

    /// Ends a life that has been looked at, whatever comes of it.
    func finish() {
        _ = pluginHarness.stopSend()
        _ = pluginHarness.uninitialize()
        _ = pluginHarness.destroy()
        pluginHarness.leave()
    }

    /// What was agreed on.
    func agreed() throws(Verdict) -> VideoCapability {
        guard let agreement = pluginHarness.agreement else {
            throw .hindered(by: "lifecycle.whole-life", "there is no agreement")
        }
        return agreement.source
    }

    /// The frames that came, if there are as many as a check needs.
    func frames(atLeast count: Int) throws(Verdict) -> [Record.Frame] {
        let frames = record.frames
        if frames.isEmpty, kind.offerRule == .rows, pluginHarness.gaveUp == nil {
            throw .hindered(by: "video.rate", "it sent no picture")
        }
        guard frames.count >= count else {
            throw .skipped(
                "it sent \(frames.count) of the \(count) pictures that the check needs")
        }
        return frames
    }
}
