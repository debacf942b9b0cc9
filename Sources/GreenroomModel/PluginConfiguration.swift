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
    /// The absolute path of the Unix socket at which the host waits for a program that is the plugin,
    /// with `#NAME` if the program has several plugins of the kind; nil for a plugin that the host
    /// starts. Then ``plugin`` is empty.
    public var connect: String?
    /// The absolute path of the Python, or of the virtual environment, that runs a script; nil for the
    /// nearest one.
    public var python: String?
    /// The values of settings by name. Other settings have their defaults.
    public var settings: [String: ParameterValue]
    /// The reaction to a failure. If nil, the host restarts an isolated plugin, and ends the
    /// session for a plugin in the host's process.
    public var onFailure: FailurePolicy?
    /// The time limit of each of the plugin's callbacks; nil for
    /// `SessionConfiguration.callbackDeadline`.
    public var callbackDeadline: Duration?
    /// The time limit from a source's start to its first frame or audio; nil for 0.9 s and
    /// ``callbackDeadline``.
    public var startDeadline: Duration?
    /// Whether a filter's unedited frames are never shown. If so, the last edited frame stays for a
    /// second while the filter is late, refuses frames or is lost; then a slate follows. If not,
    /// most unedited frames are shown.
    public var isRequired = false
    /// The names of the participants whom an output or a composer leaves out.
    public var except: [String] = []
    /// The plugin's isolation; nil for the session's `SessionConfiguration.isolation`.
    public var isolation: Isolation?
    /// The sandbox of an isolated plugin; nil: the session's sandbox.
    public var sandbox: SandboxMode?
    /// The private memory limit of an isolated plugin; nil for the session's limit.
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

/// The process of a plugin.
public enum Isolation: String, CaseIterable, Sendable {
    /// A process of the plugin's own.
    case process
    /// The host's process.
    case host
}

/// Additional grants of a plugin. Paths are absolute and unique within their list. Only ``control``
/// also applies to a plugin in the host's process.
public struct Grants: Hashable, Sendable {
    /// The files and folders that the plugin may read.
    public var read: [String]
    /// The files and folders that the plugin may write. The plugin may create files in these
    /// folders.
    public var write: [String]
    /// The devices and folders of devices below `/dev` that the plugin may use.
    public var devices: [String]
    /// Whether the plugin may use the network.
    public var network: Bool
    /// The Unix sockets that the host connects for the plugin.
    public var connect: [String]
    /// Whether the host connects the plugin to the X server and the Wayland compositor of this
    /// user.
    public var display: Bool
    /// Whether the host connects the plugin to PipeWire.
    public var pipewire: Bool
    /// Whether the plugin may send the session's commands, and read the session's description,
    /// report and events.
    public var control: Bool

    /// Makes grants; no grants without arguments.
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

    /// Adds other grants.
    package mutating func formUnion(_ other: Grants) {
        for list in [\Grants.read, \.write, \.devices, \.connect] {
            let own = self[keyPath: list]
            self[keyPath: list] += other[keyPath: list].filter { !own.contains($0) }
        }
        network = network || other.network
        display = display || other.display
        pipewire = pipewire || other.pipewire
        control = control || other.control
    }

    /// Whether any grant other than ``control`` is given. These grants require the plugin's own
    /// process.
    package var needProcess: Bool {
        var others = self
        others.control = false
        return !control || others != Grants()
    }
}
