import GreenroomHarness
import GreenroomRuntime
import GreenroomPluginInterface
import GreenroomMedia

extension Fixture {
    /// Whether the plugin is a source.
    var isSource: Bool { Set.senders.contains(kind) }

    /// Creates and initializes the plugin for small frames.
    func initializeSmall() throws(Verdict) {
        try create()
        try initialize(pluginHarness.nextOffer(maximum: .small))
    }

    /// The number of frames or blocks accepted so far.
    var accepted: Int { pluginHarness.frames.accepted + pluginHarness.blocks.accepted }

    /// Whether the source has given up.
    var hasGivenUp: Bool { pluginHarness.gaveUp != nil }

    /// Waits in session time until more is accepted.
    ///
    /// - Parameters:
    ///   - count: The number accepted before.
    ///   - seconds: The time limit in seconds on the session clock.
    /// - Returns: Whether more was accepted, or the source has given up.
    func sends(after count: Int = 0, within seconds: Double) throws(Verdict) -> Bool {
        let end = clock.now + Int64(seconds * 1e9)
        while accepted <= count, !hasGivenUp {
            guard clock.now < end else { return false }
            try wait(seconds: 0.1)
        }
        return true
    }

    /// The number of blocks refused by a full queue.
    private var fullQueues: Int { pluginHarness.blocks.refused["\(Status.queueFull)", default: 0] }

    /// Whether the audio queue was full.
    var hasFullQueue: Bool { fullQueues > 0 }

    /// Whether the plugin retries without waiting while the queue is full. That uses a whole
    /// processor and more calls than a session allows.
    var spinsOnFullQueue: Bool { fullQueues > 10_000 }

    /// The host's refusals as text: ` (refused: BAD_STRIDE 14 times)`; empty if none.
    var refusals: String {
        let all = pluginHarness.frames.refused
            .merging(pluginHarness.frames.refusedCalls, uniquingKeysWith: +)
            .merging(pluginHarness.blocks.refused, uniquingKeysWith: +)
        guard !all.isEmpty else { return "" }
        let texts = Dictionary(
            record.calls.compactMap { call in
                call.status.flatMap { status in call.refusal.map { ("\(status)", $0) } }
            }, uniquingKeysWith: { first, _ in first })
        let parts = all.sorted { $0.key < $1.key }.map { status, count in
            "\(status) \(count) times\(texts[status].map { ": \($0)" } ?? "")"
        }
        return " (refused: \(parts.joined(separator: ", ")))"
    }
}

extension VideoCapability {
    /// The size for checks of many frames, because the check worker reads all of them.
    static let small = VideoCapability(width: 640, height: 360, fps: 30)
}

extension TracedCall {
    /// Whether the call sends media.
    var isSend: Bool {
        switch request {
        case .sendFrame, .acquire, .commit, .abandon, .sendAudio: true
        default: false
        }
    }

    /// The function's name in the header.
    var name: String {
        switch request {
        case .log: "log"
        case .setError: "set_error"
        case .giveUp: "give_up"
        case .now: "now_ns"
        case .waitUntil: "wait_until_ns"
        case .refusalText: "refusal_text"
        case .paused: "paused"
        case .resumed: "resumed"
        case .sendFrame: "send"
        case .acquire: "acquire"
        case .commit: "commit"
        case .abandon: "abandon"
        case .sendAudio: "send"
        case .keepFrame: "keep"
        case .releaseFrame: "release"
        case .joined: "joined"
        case .left: "left"
        case .openTrack: "open_track"
        case .closeTrack: "close_track"
        case .setMuted: "set_muted"
        case .setRecorded: "set_recorded"
        case .report: "report"
        case .setCeiling: "set_ceiling"
        case .outputState: "state"
        }
    }
}
