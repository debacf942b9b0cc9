/// The description, settings and initialiser that every kind of plugin has.
///
/// Conform to one of the kinds, not to this protocol: to a short one, which is one function,
/// ``Camera``, ``Screen``, ``Microphone`` or ``ScreenAudio``; to ``Agent``, which is several kinds; or to one with every callback,
/// ``VideoSource``, ``ShareSource``, ``VirtualAudioMic``, ``ShareAudioSource``,
/// ``VideoSourcePreProcessor``, ``Output`` or ``VirtualAudioSpeaker``. Then export the type with
/// ``exportPlugins(_:)``.
///
/// No two calls on a plugin overlap, so a plain struct or class needs no lock for values that only its
/// callbacks use. Protect values that your own thread uses as well; the compiler reports them.
public protocol Plugin: SendableMetatype {
    /// The settings of the plugin; ``NoSettings`` by default.
    associatedtype Settings: PluginSettings = NoSettings

    /// The description that people see before any code of the plugin runs.
    static var plugin: PluginDescription { get }

    /// The export of this type. Each kind of plugin implements it.
    static var export: PluginExport { get }

    /// Makes an instance. Open and start nothing yet: keep this call cheap.
    ///
    /// - Parameters:
    ///   - settings: The settings of the session file, checked against the table.
    ///   - host: The host's log and clock. Keep it.
    /// - Throws: Any error; a ``PluginError`` chooses the status. The session reports its text.
    init(settings: Settings, host: PluginHost) throws

    /// A live setting changed. The default does nothing.
    mutating func onSettingsChange(_ settings: Settings)

    /// An event of the session, between start and stop; only for a plugin with the grant `control`. The
    /// default does nothing. A call without the grant gets `recording-started`, `recording-paused` and
    /// `recording-stopped`, so that its participants know whether the session is recorded.
    ///
    /// Return at once: the host drops events when its queue is full, and counts them in an event
    /// `left-out`. Log lines of the plugin are events, too.
    ///
    /// - Parameter json: The line that `greenroom run --json` prints for the event.
    mutating func onSessionEvent(_ json: String)
}

extension Plugin {
    /// Does nothing.
    public func onSettingsChange(_ settings: Settings) {}

    /// Does nothing.
    public func onSessionEvent(_ json: String) {}
}

/// The description that people see before any code of a plugin runs.
public struct PluginDescription: Equatable, Sendable {
    /// Reverse domain, of a–z, 0–9, `-` and `.`; it never changes: `"com.example.plasma"`.
    public var id: String
    /// The name in session files, of letters, digits and `-`: `"Plasma"`. The library's only one of its kind.
    public var name: String
    /// The version: `"1.2.3"`.
    public var version: String
    /// One line that describes the plugin.
    public var summary: String
    /// The author or company.
    public var vendor: String?
    /// A page about the plugin.
    public var url: String?
    /// The needs of its process.
    public var needs: PluginNeeds
    /// The private memory of its process, in megabytes; 0 if the host's default is enough.
    public var memoryMegabytes: Int

    /// Describes a plugin.
    public init(
        id: String, name: String, version: String, summary: String, vendor: String? = nil,
        url: String? = nil, needs: PluginNeeds = [], memoryMegabytes: Int = 0
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.summary = summary
        self.vendor = vendor
        self.url = url
        self.needs = needs
        self.memoryMegabytes = memoryMegabytes
    }
}
