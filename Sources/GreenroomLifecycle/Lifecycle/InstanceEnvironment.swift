import CLinux
import Glibc
import GreenroomABI
import GreenroomModel
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime
import Synchronization

/// Common data of an instance's lives: its role, its ingests, the clock and the log.
struct InstanceEnvironment: Sendable {
    /// The number of the instance in its session.
    let number: Int
    /// The role in the session, e.g. `camera` or `camera.pre-processors[0]`.
    let role: String
    let descriptor: PluginDescriptor
    let videoIngest: VideoIngest?
    let audioIngest: AudioIngest?
    /// The feed of an output; nil for other kinds.
    let feed: OutputFeed?
    /// The roster of a call; nil for other kinds.
    let roster: CallRoster?
    /// The `control` grant; nil if the plugin may not control its session.
    let control: ControlGrant?
    /// The ingests whose audio pauses with the plugin: the plugin's own, and the ingest of its
    /// share's audio.
    let pausedAudio: [AudioIngest]
    let clock: SessionClock
    let events: SessionEvents
    /// The folders and files that the plugin may write to; nil if it has the host's rights.
    private let writable: [String]?
    /// The most frames of the plugin in use; 0 for a plugin that makes no frames.
    let frameLimit: Int
    private let limiter = LogRateLimiter()
    private let warnings = GivenWarnings()
    private let errors = LoggedErrors()

    /// - Parameters:
    /// - ownFrameLimit: The most frames in use of a pre-processor or a call.
    init(
        number: Int, role: String, descriptor: PluginDescriptor, videoIngest: VideoIngest?,
        audioIngest: AudioIngest?, pausedAudio: [AudioIngest], feed: OutputFeed?,
        roster: CallRoster?, control: ControlGrant?, clock: SessionClock, events: SessionEvents,
        writable: [String]?, ownFrameLimit: Int
    ) {
        self.writable = writable
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

    /// Whether the plugin may pause.
    var canPause: Bool { descriptor.kind.facts.canPause }

    /// Whether the plugin is a source.
    var isSource: Bool { descriptor.kind.facts.direction == .source }

    /// The ids of the host's extensions for the plugin.
    var extensions: [String] {
        // Without a grant, the functions of connections name the missing grant.
        var ids = [GR_EXT_CAPTIONS_HOST, GR_EXT_CONNECTIONS]
        if isSource { ids.append(GR_EXT_HOLD) }
        if canPause { ids.append(GR_EXT_BROADCAST) }
        if feed != nil { ids += [GR_EXT_OUTPUT_HOST, GR_EXT_FILES_HOST] }
        if roster != nil { ids += [GR_EXT_CALL_HOST, GR_EXT_RECORDING_HOST] }
        if control?.mayCommand ?? false { ids.append(GR_EXT_CONTROL_HOST) }
        if audioIngest != nil || roster != nil { ids.append(GR_EXT_AUDIO_QUEUE) }
        return ids
    }

    /// Whether the plugin may name a file to hooks, which may remove it: a regular file that the plugin
    /// can write to itself.
    func mayName(file path: String) -> Bool {
        var about = stat()
        guard path.hasPrefix("/"), lstat(path, &about) == 0, about.st_mode & S_IFMT == S_IFREG
        else { return false }
        guard let writable else { return true }
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        let file = String(cString: real)
        return writable.contains { granted in
            guard let real = realpath(granted, nil) else { return false }
            defer { free(real) }
            let folder = String(cString: real)
            return file == folder || file.hasPrefix(folder == "/" ? "/" : "\(folder)/")
        }
    }

    /// The number of accepted frames or blocks so far.
    var acceptedCount: Int {
        videoIngest?.counts.accepted ?? audioIngest?.statistics.counts.accepted ?? 0
    }

    /// Sets the ingests' state from the lifecycle's state.
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

    /// Counts repeats of the last frame as such from now on.
    func hold() { videoIngest?.setHeld() }

    /// Logs a line of the plugin, rate-limited.
    func log(_ level: LogLevel, _ text: String) {
        let lines = level == .error ? errors.add(text) : [text]
        for line in lines { tell(.pluginLog(role: role, level: level, text: line)) }
    }

    /// Begins a life.
    func beginLife() {
        feed?.beginLife()
        errors.beginLife()
    }

    /// Logs a warning unless an earlier life has logged it.
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

/// Leaves out the errors with which a life begins as the last one did, such as the same traceback after
/// each restart.
struct RepeatedErrors {
    /// The most stored lines of a life.
    private static let limit = 200
    private var past: [String] = []
    private var present: [String] = []
    /// Whether this life has only logged errors of the last one.
    private var isRepeating = false

    mutating func beginLife() {
        if !present.isEmpty { past = present }
        present = []
        isRepeating = !past.isEmpty
    }

    /// - Returns: The lines to log. A new line follows the lines that were left out before it.
    mutating func add(_ line: String) -> [String] {
        if present.count < Self.limit { present.append(line) }
        guard isRepeating else { return [line] }
        if present.count <= past.count, past[present.count - 1] == line {
            isRepeating = present.count < past.count
            return []
        }
        isRepeating = false
        return present
    }
}

/// The errors of all lives of an instance.
private final class LoggedErrors: Sendable {
    private let errors = Mutex(RepeatedErrors())

    func beginLife() { errors.withLock { $0.beginLife() } }

    /// - Returns: The lines to log.
    func add(_ line: String) -> [String] { errors.withLock { $0.add(line) } }
}

/// The warnings of all lives of an instance.
private final class GivenWarnings: Sendable {
    /// The most stored warnings: a plugin can invent any number.
    private static let limit = 256
    private let texts = Mutex<Set<String>>([])

    /// - Returns: Whether the warning is new.
    func add(_ text: String) -> Bool {
        texts.withLock { $0.count < Self.limit && $0.insert(text).inserted }
    }
}
