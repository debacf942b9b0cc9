public import GreenroomNegotiation
public import GreenroomPluginInterface
public import GreenroomMedia
public import GreenroomModel
public import GreenroomRuntime
import GreenroomVideo

/// The isolation of a plugin. Paths are absolute.
public struct IsolationPlan: Hashable, Sendable {
    /// How to confine the process.
    public var sandbox: SandboxMode
    /// Limit of private memory in bytes, without frames.
    public var memoryLimitBytes: Int
    /// Files and folders that it may read.
    public var read: [String]
    /// Files and folders that it may write; in folders it may create files.
    public var write: [String]
    /// Devices, and folders of devices, below `/dev` that it may use.
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

/// A plugin with its settings, ready to create.
public struct SourcePlan: Sendable {
    /// Its library.
    package var factory: any PluginFactory
    /// The plugin in the library.
    public var descriptor: PluginDescriptor
    /// All settings of the plugin, checked.
    public var settings: [Setting]
    /// What to do when it fails.
    public var onFailure: FailurePolicy
    /// Its isolation; nil for the host's process.
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

/// A complete and checked description of a session.
public struct SessionPlan: Sendable {
    /// The session's name, for the report.
    public var name: String
    /// The largest capability offered to a source.
    public var maximum = SessionDefaults.maximum
    /// The sizes for cameras.
    public var table = CapabilityTable.standard
    /// The session's clock.
    public var clock = ClockKind.real
    /// Commands while it runs, sorted by time.
    public var timeline: [TimelineEntry] = []
    /// The duration, in nanoseconds; nil until stopped.
    public var durationNanoseconds: Int64?
    /// Time limit of a callback, in nanoseconds.
    public var callbackDeadlineNanoseconds = SessionDefaults.callbackDeadline.nanoseconds
    /// The plugins, by their roles.
    public var slots: [SessionSlot<SourcePlan>] = []
    /// The absolute path of the Unix socket on which a broadcast offers the share and its audio;
    /// nil without a broadcast.
    public var broadcast: String?
    /// The outputs.
    package var outputs: [any Output] = []

    /// Makes a plan without plugins.
    public init(name: String) {
        self.name = name
    }
}
