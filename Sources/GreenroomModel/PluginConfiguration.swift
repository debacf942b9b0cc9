public import GreenroomMedia

/// A plugin of a session: which one, its settings, and where it runs.
///
/// A plugin that needs nothing else is its name alone:
///
/// ```swift
/// let slot = SessionSlot<PluginConfiguration>(.camera, "ColorBars")
/// ```
public struct PluginConfiguration: Hashable, Sendable {
    /// The plugin's name or id; or, with a slash in it, the path of a library, with `#NAME` behind
    /// it if the library has several plugins.
    public var plugin: String
    /// Values of its settings by name; others have their defaults.
    public var settings: [String: ParameterValue]
    /// What the session does when it fails; nil: a plugin in a process of its own is started
    /// again, and with one in the host's process the session ends.
    public var onFailure: FailurePolicy?
    /// Of a filter, whether a frame that it has not edited, because it is late, refuses it or is
    /// lost, is never shown: the last edited frame stays for a second, then a slate. Without it
    /// such frames are shown unedited.
    public var isRequired = false
    /// Where it runs; nil: as the session says.
    public var isolation: Isolation?
    /// How a process of its own is confined; nil: as the session says.
    public var sandbox: SandboxMode?
    /// How much private memory a process of its own may have; nil: as the session says.
    public var memoryLimit: MemorySize?
    /// What a process of its own may do besides what every one may; nil: nothing.
    public var grants: Grants?

    /// Names a plugin.
    public init(_ plugin: String, settings: [String: ParameterValue] = [:]) {
        self.plugin = plugin
        self.settings = settings
    }
}

extension PluginConfiguration: ExpressibleByStringLiteral {
    /// Names a plugin that has its default settings.
    public init(stringLiteral plugin: String) { self.init(plugin) }
}

/// Where a plugin runs.
public enum Isolation: String, CaseIterable, Sendable {
    /// In a process of its own.
    case process
    /// In the host's process.
    case host
}

/// What a plugin in a process of its own may do besides what every one may. Paths are absolute,
/// and each list has a path once.
public struct Grants: Hashable, Sendable {
    /// Files that it may read, and folders with all in them.
    public var read: [String]
    /// Files that it may write, and folders that it may write and make files in.
    public var write: [String]
    /// Devices below `/dev` that it may use, and folders of them.
    public var devices: [String]
    /// Whether it may use the network.
    public var network: Bool

    /// Makes grants; without arguments it grants nothing.
    public init(
        read: [String] = [], write: [String] = [], devices: [String] = [], network: Bool = false
    ) {
        self.read = read
        self.write = write
        self.devices = devices
        self.network = network
    }
}
