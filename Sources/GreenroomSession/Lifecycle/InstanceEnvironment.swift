import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime

/// What all lives of an instance have in common: its place in the session, its ingests, the clock
/// and the log.
struct InstanceEnvironment: Sendable {
    /// Tells the instances of a session apart.
    let number: Int
    /// Where it stands in the session, e.g. `camera` or `camera.pre-processors[0]`.
    let role: String
    let descriptor: PluginDescriptor
    let videoIngest: VideoIngest?
    let audioIngest: AudioIngest?
    let clock: SessionClock
    let events: SessionEvents
    /// How many frames of the plugin are in use at most; 0 for sound.
    let frameLimit: Int
    private let limiter = LogRateLimiter()

    /// - Parameter editedFrameLimit: For a pre-processor, how many frames of its are in use at most.
    init(
        number: Int, role: String, descriptor: PluginDescriptor, videoIngest: VideoIngest?,
        audioIngest: AudioIngest?, clock: SessionClock, events: SessionEvents,
        editedFrameLimit: Int
    ) {
        self.number = number
        self.role = role
        self.descriptor = descriptor
        self.videoIngest = videoIngest
        self.audioIngest = audioIngest
        self.clock = clock
        self.events = events
        frameLimit =
            descriptor.kind.isFilter ? editedFrameLimit : videoIngest?.frameLimit ?? 0
    }

    /// Whether it may say that nothing new comes for now.
    var canPause: Bool { descriptor.kind.facts.canPause }

    /// Frames or blocks of it that were accepted so far.
    var acceptedCount: Int {
        videoIngest?.counts.accepted ?? audioIngest?.statistics.counts.accepted ?? 0
    }

    /// Makes the ingests answer as a state of the lifecycle demands.
    func follow(_ lifecycle: LifecycleState) {
        videoIngest?.follow(lifecycle)
        audioIngest?.follow(lifecycle)
    }

    /// Sends a line that the plugin wrote, unless it writes too much.
    func log(_ level: LogLevel, _ text: String) {
        tell(.pluginLog(role: role, level: level, text: text))
    }

    /// Sends what the plugin says, unless it says too much.
    func tell(_ event: SessionEvent) {
        let (passes, dropped) = limiter.count(at: MonotonicClock.now)
        if dropped > 0 {
            events.send(
                .pluginLog(role: role, level: .warning, text: "\(dropped) lines left out"))
        }
        if passes { events.send(event) }
    }
}
