import Glibc
public import GreenroomMedia
public import GreenroomModel
import GreenroomNegotiation
public import GreenroomOutputs
import GreenroomRuntime

/// The configuration of a session: its plugins, limits and outputs.
///
/// A session file or a program provides the configuration:
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
    /// The absolute folder that relative paths of plugins and settings are resolved against.
    public var folder: String
    /// The largest size and frame rate in offers to plugins.
    public var maximum = Limits.maximum
    /// The sizes in offers to cameras, each with its highest frame rate; sizes are unique.
    public var table = CapabilityTable.standard.rows
    /// The session's clock; a virtual clock needs a ``duration``.
    public var clock = ClockKind.real
    /// The duration; nil to run until stopped.
    public var duration: Duration?
    /// The time for guests to leave after a request to drain, from 0 s to 7 days. With 0 s the
    /// session ends at once.
    public var drainTimeout = Duration.zero
    /// The duration after which a plugin's callback counts as hung; nil for 2 s, or 60 s on the
    /// virtual clock, because there a slow machine only takes longer. A source that owes frames or
    /// audio fails after one second plus this deadline without any, by default 3 s on both clocks.
    public var callbackDeadline: Duration?
    /// The minimum share of real media in each track at the end, in per cent; nil to require only
    /// some real media. Below the minimum, the report's outcome is `not-real`.
    public var minimumRealPercent: Int?
    /// The default isolation of plugins; nil to run bundled plugins except Frei0r, Ladspa, Media
    /// and WebRoom in the host's process, and all other plugins in separate processes.
    public var isolation: Isolation?
    /// The default sandbox of isolated plugins; nil for every layer that the kernel supports.
    public var sandbox: SandboxMode?
    /// The default limit of private memory of each isolated plugin; nil for 256 MB.
    public var memoryLimit: MemorySize?
    /// The plugins, at most one for each role.
    public var slots: [SessionSlot<PluginConfiguration>] = []
    /// The outputs.
    public var outputs: [SessionOutput] = []
    /// Whether the session ends if its call fails before it is live, or fails too often.
    package var needsCall = false
    /// Commands while the session runs, in order of time.
    public var timeline: [TimelineEntry] = []

    /// The reactions to events.
    public var hooks: [HookTrigger: HookAction] = [:]

    /// The deadline of callbacks, in real time.
    package var hangDeadline: Duration {
        callbackDeadline
            ?? .nanoseconds(
                clock == .virtual
                    ? Limits.virtualCallbackDeadlineNanoseconds
                    : Limits.callbackDeadlineNanoseconds)
    }

    /// The time limit of loading a plugin's library, in nanoseconds of real time.
    package func loadLimit(of plugin: PluginConfiguration) -> Int64 {
        max(
            Limits.loadingNanoseconds,
            (plugin.callbackDeadline ?? callbackDeadline)?.nanoseconds ?? 0)
    }

    /// The session time for which a source may stay silent after the first second.
    package var silenceDeadline: Duration {
        callbackDeadline ?? .nanoseconds(Limits.callbackDeadlineNanoseconds)
    }

    /// Makes a configuration without plugins, relative to the working directory.
    public init(name: String = "session") {
        self.name = name
        let path = getcwd(nil, 0)
        defer { free(path) }
        folder = path.map { String(cString: $0) } ?? "/"
    }
}

// MARK: - Defaults

extension SessionConfiguration {
    /// The sandbox of isolated plugins whose configuration names none.
    package static let defaultSandbox = SandboxMode.on

    /// Returns the isolation of a plugin.
    ///
    /// - Parameter standard: The isolation if the configuration names none.
    package func isolation(of plugin: PluginConfiguration, standard: Isolation) -> Isolation {
        plugin.isolation ?? isolation ?? standard
    }

    /// Whether a plugin may run where the sandbox cannot enforce the plugin's grants.
    package func acceptsGap(of plugin: PluginConfiguration) -> Bool {
        switch plugin.sandbox ?? sandbox ?? Self.defaultSandbox {
        case .partial, .off: true
        case .on, .require: (plugin.isolation ?? isolation) == .host
        }
    }

    /// The isolation of a plugin that runs in a separate process.
    package func process(of plugin: PluginConfiguration) -> IsolationPlan {
        IsolationPlan(
            sandbox: plugin.sandbox ?? sandbox ?? Self.defaultSandbox,
            memoryLimit: plugin.memoryLimit ?? memoryLimit ?? IsolationPlan.defaultMemoryLimit,
            grants: plugin.grants ?? Grants())
    }

    /// Returns the session's reaction to a failure of the plugin.
    ///
    /// - Parameters:
    ///   - standard: The isolation if the configuration names none.
    ///   - isOutput: Whether the plugin is an output.
    package func failurePolicy(
        of plugin: PluginConfiguration, standard: Isolation, isOutput: Bool
    ) -> FailurePolicy {
        if let policy = plugin.onFailure { return policy }
        return switch isolation(of: plugin, standard: standard) {
        case .process: .restart
        // A failed output does not affect other plugins.
        case .host: isOutput ? .off : .end
        }
    }

    /// Every plugin with its address: filters follow their source, and outputs come last.
    package var plugins: [(address: PluginAddress, plugin: PluginConfiguration)] {
        slots.flatMap(\.plugins) + outputPlugins.map { (address(ofOutput: $0), $1) }
            + callFilters.enumerated().map { (PluginAddress.callFilter($0), $1) }
    }

    /// The filters of each participant's audio.
    package var callFilters: [PluginConfiguration] {
        outputs.first { $0.output.isCall }?.output.filters ?? []
    }

    /// The address of the output at a place in ``outputs``.
    package func address(ofOutput index: Int) -> PluginAddress {
        outputs[index].output.isCall ? .call : .output(index)
    }

    /// The outputs that are plugins, with their places in ``outputs``.
    package var outputPlugins: [(index: Int, plugin: PluginConfiguration)] {
        outputs.enumerated().compactMap { index, output in
            output.output.plugin.map { (index, $0) }
        }
    }
}
