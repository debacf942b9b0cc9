public import GreenroomNegotiation
public import GreenroomPluginInterface
public import GreenroomMedia
public import GreenroomModel
public import GreenroomRuntime
import GreenroomVideo

/// A process of a plugin's own, and what it may do there. Paths are absolute.
public struct IsolationPlan: Hashable, Sendable {
    /// How the process is confined.
    public var sandbox: SandboxMode
    /// How much private memory it may have, in bytes; frames do not count.
    public var memoryLimitBytes: Int
    /// Files that it may read, and folders with all in them.
    public var read: [String]
    /// Files that it may write, and folders that it may write and make files in.
    public var write: [String]
    /// Devices below `/dev` that it may use, and folders of them.
    public var devices: [String]
    /// Whether it may use the network.
    public var network: Bool

    /// Makes a plan.
    public init(
        sandbox: SandboxMode = .on, memoryLimitBytes: Int = 256_000_000, read: [String] = [],
        write: [String] = [], devices: [String] = [], network: Bool = false
    ) {
        self.sandbox = sandbox
        self.memoryLimitBytes = memoryLimitBytes
        self.read = read
        self.write = write
        self.devices = devices
        self.network = network
    }
}

/// A plugin with its settings, ready to be made.
public struct SourcePlan: Sendable {
    /// Where it comes from.
    package var factory: any PluginFactory
    /// Which one of the library.
    public var descriptor: PluginDescriptor
    /// Every setting of the plugin, checked.
    public var settings: [Setting]
    /// What its failure means.
    public var onFailure: FailurePolicy
    /// The process that it runs in; nil for the host's.
    public var isolation: IsolationPlan?

    /// Makes a plan.
    package init(
        factory: any PluginFactory, descriptor: PluginDescriptor, settings: [Setting],
        onFailure: FailurePolicy = .end, isolation: IsolationPlan? = nil
    ) {
        self.factory = factory
        self.descriptor = descriptor
        self.settings = settings
        self.onFailure = onFailure
        self.isolation = isolation
    }
}

/// Everything that a session needs, resolved and checked.
public struct SessionPlan: Sendable {
    /// The session's name, for the report.
    public var name: String
    /// The most that any source is offered.
    public var maximum = SessionDefaults.maximum
    /// The sizes that cameras are offered.
    public var table = CapabilityTable.standard
    /// The clock that it runs on.
    public var clock = ClockKind.real
    /// What is done while it runs, in order of time.
    public var timeline: [TimelineEntry] = []
    /// How long to run, in nanoseconds; nil until stopped.
    public var durationNanoseconds: Int64?
    /// How long a callback may take before it counts as hung, in nanoseconds.
    public var callbackDeadlineNanoseconds = SessionDefaults.callbackDeadline.nanoseconds
    /// How much of each track has to be real, in per cent; nil for anything at all.
    public var minimumRealPercent: Int?
    /// The plugins, by their roles.
    public var slots: [SessionSlot<SourcePlan>] = []
    /// The absolute path of the Unix socket that the share comes over, with its sound, from a
    /// process that the host does not start; nil if a plugin makes it or there is none.
    public var broadcast: String?
    /// The outputs.
    package var outputs: [any Output] = []

    /// Makes a plan without plugins.
    public init(name: String) {
        self.name = name
    }
}
