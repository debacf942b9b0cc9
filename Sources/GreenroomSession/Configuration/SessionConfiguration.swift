import Glibc
public import GreenroomMedia
public import GreenroomModel
import GreenroomNegotiation
public import GreenroomOutputs

/// The configuration of a session: its plugins, limits and outputs.
///
/// It is read from a session file, or built by a program:
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
    /// The largest size and frame rate that plugins are offered.
    public var maximum = VideoCapability(width: 1920, height: 1080, fps: 30)
    /// The sizes that cameras are offered, each with its highest frame rate; sizes are unique.
    public var table = CapabilityTable.standard.rows
    /// The session's clock; a virtual clock needs a ``duration``.
    public var clock = ClockKind.real
    /// The duration; nil to run until stopped.
    public var duration: Duration?
    /// How long a plugin's callback may take before it counts as hung; nil: 2 s, and 60 s on the
    /// virtual clock, where a slow machine only takes longer. A source that owes frames or audio
    /// fails after a second plus this deadline without any, by default 3 s on both clocks.
    public var callbackDeadline: Duration?
    /// How much of each track has to be real at the end, in per cent; nil: anything at all. With
    /// less the outcome of the report is `not-real`.
    public var minimumRealPercent: Int?
    /// Where plugins run that do not say it themselves; nil: bundled plugins in the host's process, all others
    /// and Frei0r, Ladspa and Media in processes of their own.
    public var isolation: Isolation?
    /// The default sandbox of isolated plugins; nil for every layer that the kernel has.
    public var sandbox: SandboxMode?
    /// The default limit of private memory of each isolated plugin; nil for 256 MB.
    public var memoryLimit: MemorySize?
    /// The plugins, at most one for each role.
    public var slots: [SessionSlot<PluginConfiguration>] = []
    /// The absolute path of a Unix socket over which a process that the host did not start sends
    /// the share and its audio; the share has no plugins then. Nil without a broadcast.
    public var broadcast: String?
    /// The outputs.
    public var outputs: [SessionOutput] = []
    /// Whether the session ends when its call fails before it is live, or has failed too often.
    package var needsCall = false
    /// Commands while the session runs, in order of time.
    public var timeline: [TimelineEntry] = []

    /// The deadline of callbacks, in the machine's time.
    package var hangDeadline: Duration {
        callbackDeadline ?? (clock == .virtual ? .seconds(60) : .seconds(2))
    }

    /// How long a silent source may stay silent after a second, in the session's time.
    package var silenceDeadline: Duration { callbackDeadline ?? .seconds(2) }

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
    /// The sandbox of isolated plugins without one.
    package static let defaultSandbox = SandboxMode.on

    /// Where a plugin runs.
    ///
    /// - Parameter standard: Where it runs if the configuration does not say it.
    package func isolation(of plugin: PluginConfiguration, standard: Isolation) -> Isolation {
        plugin.isolation ?? isolation ?? standard
    }

    /// Whether a plugin may run where the sandbox can't keep it to its grants.
    package func acceptsGap(of plugin: PluginConfiguration) -> Bool {
        switch plugin.sandbox ?? sandbox ?? Self.defaultSandbox {
        case .partial, .off: true
        case .on, .require: (plugin.isolation ?? isolation) == .host
        }
    }

    /// The isolation of a plugin that runs in a process of its own.
    package func process(of plugin: PluginConfiguration) -> IsolationPlan {
        IsolationPlan(
            sandbox: plugin.sandbox ?? sandbox ?? Self.defaultSandbox,
            memoryLimit: plugin.memoryLimit ?? memoryLimit ?? IsolationPlan.defaultMemoryLimit,
            grants: plugin.grants ?? Grants())
    }

    /// What the session does when a plugin fails.
    ///
    /// - Parameters:
    ///   - standard: Where it runs if the configuration does not say it.
    ///   - isOutput: Whether it is an output.
    package func failurePolicy(
        of plugin: PluginConfiguration, standard: Isolation, isOutput: Bool
    ) -> FailurePolicy {
        if let policy = plugin.onFailure { return policy }
        return switch isolation(of: plugin, standard: standard) {
        case .process: .restart
        // An output costs itself alone.
        case .host: isOutput ? .off : .end
        }
    }

    /// Every plugin with its address, filters after their source, and outputs last.
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
