import GreenroomHarness
import GreenroomRuntime
import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia

extension Fixture {
    /// Whether it is a source.
    var isSource: Bool { Set.senders.contains(kind) }

    /// Frames or blocks that were accepted so far.
    var accepted: Int { pluginHarness.frames.accepted + pluginHarness.sound.accepted }

    /// Whether nothing more has to come: the source said so.
    var hasGivenUp: Bool { pluginHarness.gaveUp != nil }

    /// Lets session time pass until something more was accepted.
    ///
    /// - Parameters:
    ///   - count: What was accepted before.
    ///   - seconds: How long at most, on the session clock.
    /// - Returns: Whether it came, or the source has said that nothing more does.
    func sends(after count: Int = 0, within seconds: Double) throws(Verdict) -> Bool {
        let end = clock.now + Int64(seconds * 1e9)
        while accepted <= count, !hasGivenUp {
            guard clock.now < end else { return false }
            try wait(seconds: 0.1)
        }
        return true
    }

    /// How often there was no room for sound.
    private var fullQueues: Int { pluginHarness.sound.refused["\(Status.queueFull)", default: 0] }

    /// Whether there was no room for sound.
    var hasFullQueue: Bool { fullQueues > 0 }

    /// Whether it tries again and again, without waiting, to send sound that there is no room for:
    /// that takes a processor and more calls than a session bears, whatever else is looked at.
    var spinsOnFullQueue: Bool { fullQueues > 10_000 }

    /// What the host refused, for people: ` (refused: BAD_STRIDE 14 times)`; empty if nothing was.
    var refusals: String {
        let all = pluginHarness.frames.refused
            .merging(pluginHarness.frames.refusedCalls, uniquingKeysWith: +)
            .merging(pluginHarness.sound.refused, uniquingKeysWith: +)
        guard !all.isEmpty else { return "" }
        let parts = all.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value) times" }
        return " (refused: \(parts.joined(separator: ", ")))"
    }
}

extension VideoCapability {
    /// What many frames are sent in, for the judge has to look at all of them.
    static let small = VideoCapability(width: 640, height: 360, fps: 30)
}

extension TracedCall {
    /// Whether it asks for something of a sender.
    var isSend: Bool {
        switch request {
        case .sendFrame, .acquire, .commit, .abandon, .sendSound: true
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
        case .sendSound: "send"
        }
    }
}
