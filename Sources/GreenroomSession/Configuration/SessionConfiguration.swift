import Glibc
public import GreenroomMedia
public import GreenroomModel
import GreenroomNegotiation
public import GreenroomRuntime

/// What a session runs: its plugins, its limits, and where its media go.
///
/// A session file is read into such a value, and a program may build one:
///
/// ```swift
/// var configuration = SessionConfiguration(name: "demo")
/// configuration.duration = .seconds(5)
/// configuration.slots = [
///     SessionSlot(.camera, PluginConfiguration("ColorBars", settings: ["pattern": "grey"])),
///     SessionSlot(.microphone, "Tone"),
/// ]
/// configuration.outputs = [.record(folder: "recording")]
/// ```
public struct SessionConfiguration: Sendable {
    /// The session's name, for the report.
    public var name: String
    /// The absolute folder that relative paths of plugins and of their settings start from.
    public var folder: String
    /// The most that any source is offered.
    public var maximum = VideoCapability(width: 1920, height: 1080, fps: 30)
    /// The sizes that cameras are offered, each once, with its highest frame rate.
    public var table = CapabilityTable.standard.rows
    /// The clock to run on; a virtual one needs a ``duration``.
    public var clock = ClockKind.real
    /// How long to run; nil until stopped.
    public var duration: Duration?
    /// How long a plugin's callback may take before it counts as hung.
    public var callbackDeadline = Duration.seconds(2)
    /// Where plugins run that do not say it themselves; nil: bundled plugins in the host's process,
    /// all others in processes of their own.
    public var isolation: Isolation?
    /// How plugins in processes of their own are confined that do not say it themselves; nil: by
    /// every layer that the kernel has.
    public var sandbox: SandboxMode?
    /// How much private memory plugins in processes of their own may have, each, that do not say it
    /// themselves; nil: 256 MB.
    public var memoryLimit: MemorySize?
    /// The plugins, each role at most once.
    public var slots: [SessionSlot<PluginConfiguration>] = []
    /// The absolute path of a Unix socket that the share comes over, with its sound, from a
    /// process that the host does not start; the share has no plugins then.
    public var broadcast: String?
    /// Where the session's media go.
    public var outputs: [SessionOutput] = []
    /// What is done while the session runs, in order of time.
    public var timeline: [TimelineEntry] = []

    /// Makes a configuration without plugins, whose paths start from the working directory.
    public init(name: String = "session") {
        self.name = name
        let path = getcwd(nil, 0)
        defer { free(path) }
        folder = path.map { String(cString: $0) } ?? "/"
    }
}

// MARK: - What holds for a plugin

extension SessionConfiguration {
    /// The memory limit of plugins for which none is said.
    package static let defaultMemoryLimit = MemorySize.megabytes(256)

    /// Where a plugin runs.
    ///
    /// - Parameter isBundled: Whether it comes with the host.
    package func isolation(of plugin: PluginConfiguration, isBundled: Bool) -> Isolation {
        plugin.isolation ?? isolation ?? (isBundled ? .host : .process)
    }

    /// The process of a plugin that has one of its own, with what is said of it.
    package func process(of plugin: PluginConfiguration) -> IsolationPlan {
        IsolationPlan(
            sandbox: plugin.sandbox ?? sandbox ?? .on,
            memoryLimit: plugin.memoryLimit ?? memoryLimit ?? Self.defaultMemoryLimit,
            grants: plugin.grants ?? Grants())
    }

    /// What the session does when a plugin fails.
    ///
    /// - Parameter isBundled: Whether it comes with the host.
    package func failurePolicy(of plugin: PluginConfiguration, isBundled: Bool) -> FailurePolicy {
        if let said = plugin.onFailure { return said }
        return switch isolation(of: plugin, isBundled: isBundled) {
        case .process: .restart
        case .host: .end
        }
    }

    /// Every plugin with its address, filters after their source.
    package var plugins: [(address: PluginAddress, plugin: PluginConfiguration)] {
        slots.flatMap(\.plugins)
    }
}
