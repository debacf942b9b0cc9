public import GreenroomMedia

/// A plugin of a session, with its settings and isolation.
///
/// A plugin with default settings can be written as its name:
///
/// ```swift
/// let slot = SessionSlot<PluginConfiguration>(.camera, "ColorBars")
/// ```
public struct PluginConfiguration: Hashable, Sendable {
    /// The plugin's name or id; or the path of a library, which contains a slash, with `#NAME`
    /// if the library has several plugins.
    public var plugin: String
    /// The values of settings by name; the others have their defaults.
    public var settings: [String: ParameterValue]
    /// The reaction to a failure. If nil, the host restarts an isolated plugin, and ends the
    /// session for a plugin in the host's process.
    public var onFailure: FailurePolicy?
    /// How long a source may take from its start to its first frame or audio before it has failed; nil
    /// for 0.9 s and `SessionConfiguration.callbackDeadline`.
    public var startDeadline: Duration?
    /// Of a filter, whether a frame that it has not edited, because it is late, refuses it or is
    /// lost, is never shown: the last edited frame stays for a second, then a slate. Without it
    /// most such frames are shown unedited.
    public var isRequired = false
    /// Where it runs; nil for the session's `SessionConfiguration.isolation`.
    public var isolation: Isolation?
    /// The sandbox of an isolated plugin; nil: the session's sandbox.
    public var sandbox: SandboxMode?
    /// The limit of private memory of an isolated plugin; nil for that of the session.
    public var memoryLimit: MemorySize?
    /// Additional grants; nil if none. All but `Grants.control` are for an isolated plugin.
    public var grants: Grants?

    /// Makes the configuration of a plugin.
    public init(_ plugin: String, settings: [String: ParameterValue] = [:]) {
        self.plugin = plugin
        self.settings = settings
    }
}

extension PluginConfiguration: ExpressibleByStringLiteral {
    /// Makes the configuration of a plugin with default settings.
    public init(stringLiteral plugin: String) { self.init(plugin) }
}

/// Where a plugin runs.
public enum Isolation: String, CaseIterable, Sendable {
    /// In a process of its own.
    case process
    /// In the host's process.
    case host
}

/// Additional grants of a plugin. Paths are absolute and unique within their list. All but ``control``
/// are for an isolated plugin.
public struct Grants: Hashable, Sendable {
    /// Files and folders that it may read.
    public var read: [String]
    /// Files and folders that it may write; in folders it may create files.
    public var write: [String]
    /// Devices, and folders of devices, below `/dev` that it may use.
    public var devices: [String]
    /// Whether it may use the network.
    public var network: Bool
    /// Unix sockets that the host connects for it.
    public var connect: [String]
    /// Whether the host connects it to the X server and the Wayland compositor of this user.
    public var display: Bool
    /// Whether the host connects it to PipeWire.
    public var pipewire: Bool
    /// Whether it may send the session's commands, and read what the session is, its report and its
    /// events.
    public var control: Bool

    /// Makes grants; without arguments, none.
    public init(
        read: [String] = [], write: [String] = [], devices: [String] = [], network: Bool = false,
        connect: [String] = [], display: Bool = false, pipewire: Bool = false,
        control: Bool = false
    ) {
        self.read = read
        self.write = write
        self.devices = devices
        self.network = network
        self.connect = connect
        self.display = display
        self.pipewire = pipewire
        self.control = control
    }

    /// Whether there are any that need a process of the plugin's own: all but ``control`` alone.
    package var needProcess: Bool {
        var others = self
        others.control = false
        return !control || others != Grants()
    }
}
