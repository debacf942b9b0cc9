import GreenroomModel
import GreenroomEvents
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime
import Synchronization

/// Common data of an instance's lives: its role, its ingests, the clock and the log.
struct InstanceEnvironment: Sendable {
    /// Number of the instance in its session.
    let number: Int
    /// The role in the session, e.g. `camera` or `camera.pre-processors[0]`.
    let role: String
    let descriptor: PluginDescriptor
    let videoIngest: VideoIngest?
    let audioIngest: AudioIngest?
    /// Set for an output.
    let feed: OutputFeed?
    /// Set for a call.
    let roster: CallRoster?
    /// Set for a plugin that may control its session.
    let control: ControlGrant?
    /// The ingests whose audio pauses with the plugin: its own, and that of its share's audio.
    let pausedAudio: [AudioIngest]
    let clock: SessionClock
    let events: SessionEvents
    /// Limit of the plugin's own frames in use; 0 for one that has none.
    let frameLimit: Int
    private let limiter = LogRateLimiter()
    private let warnings = GivenWarnings()

    /// - Parameters:
    ///   - ownFrameLimit: For a pre-processor or a call, the limit of its frames in use.
    init(
        number: Int, role: String, descriptor: PluginDescriptor, videoIngest: VideoIngest?,
        audioIngest: AudioIngest?, pausedAudio: [AudioIngest], feed: OutputFeed?,
        roster: CallRoster?, control: ControlGrant?, clock: SessionClock, events: SessionEvents,
        ownFrameLimit: Int
    ) {
        self.feed = feed
        self.roster = roster
        self.control = control
        self.number = number
        self.role = role
        self.descriptor = descriptor
        self.videoIngest = videoIngest
        self.audioIngest = audioIngest
        self.pausedAudio = pausedAudio
        self.clock = clock
        self.events = events
        frameLimit =
            switch descriptor.kind.facts.direction {
            case .source, .composer: videoIngest?.frameLimit ?? 0
            case .filter, .output: ownFrameLimit
            }
    }

    /// Whether it may say that nothing new comes for now.
    var canPause: Bool { descriptor.kind.facts.canPause }

    /// Number of its frames or blocks accepted so far.
    var acceptedCount: Int {
        videoIngest?.counts.accepted ?? audioIngest?.statistics.counts.accepted ?? 0
    }

    /// Sets the ingests' state to that of the lifecycle.
    func follow(_ lifecycle: LifecycleState) {
        videoIngest?.follow(lifecycle)
        audioIngest?.follow(lifecycle)
        roster?.follow(lifecycle)
        // A pause ends with the life that began it.
        if lifecycle == .created || lifecycle.isOver { pause(false) }
    }

    /// Pauses or resumes the audio that pauses with the plugin.
    func pause(_ isPaused: Bool) {
        for ingest in pausedAudio { ingest.pause(isPaused, by: number) }
        videoIngest?.setPaused(isPaused)
    }

    /// Logs a line of the plugin, rate-limited.
    func log(_ level: LogLevel, _ text: String) {
        tell(.pluginLog(role: role, level: level, text: text))
    }

    /// Logs a warning unless an earlier life has done so.
    func warnOnce(_ text: String) {
        if warnings.add(text) { log(.warning, text) }
    }

    /// Sends an event of the plugin, rate-limited.
    func tell(_ event: SessionEvent) {
        let (passes, dropped) = limiter.count(at: clock.host.now)
        if dropped > 0 {
            events.send(
                .pluginLog(
                    role: role, level: .warning, text: "\(dropped) lines dropped: limit 100/s"))
        }
        if passes { events.send(event) }
    }
}

/// The warnings of all lives of an instance.
private final class GivenWarnings: Sendable {
    /// A plugin can make up any number.
    private static let limit = 256
    private let texts = Mutex<Set<String>>([])

    /// - Returns: Whether it is new.
    func add(_ text: String) -> Bool {
        texts.withLock { $0.count < Self.limit && $0.insert(text).inserted }
    }
}
