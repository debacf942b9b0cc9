/// What every kind of plugin has: a description, settings, and an initialiser.
///
/// Conform to one of the kinds, not to this protocol itself: the short ones ``Camera``,
/// ``Screen``, ``Microphone`` and ``ScreenAudio``, which are one function, or those with
/// every callback, ``VideoSource``, ``ShareSource``, ``VirtualAudioMic``,
/// ``ShareAudioSource`` and ``VideoSourcePreProcessor``. Then export the type with
/// ``exportPlugins(_:)``.
///
/// No two calls on a plugin ever overlap, so a plain struct or class needs no lock for what
/// only its callbacks touch. Values that a thread of its own touches too are the author's to
/// protect, and the compiler says so.
public protocol Plugin: SendableMetatype {
    /// The settings that the plugin has; ``NoSettings`` unless said.
    associatedtype Settings: PluginSettings = NoSettings

    /// What is told about the plugin before any of its code has run.
    static var plugin: PluginDescription { get }

    /// What the library exports for this type. Each kind of plugin has it; authors don't
    /// write it.
    static var export: PluginExport { get }

    /// Makes an instance. Cheap: open nothing and start nothing yet.
    ///
    /// - Parameters:
    ///   - settings: The settings of the session file, checked against the table.
    ///   - host: The host's log and clock; keep it.
    /// - Throws: Any error; a ``PluginError`` chooses the status. The session reports its text.
    init(settings: Settings, host: PluginHost) throws

    /// A live setting changed. The default does nothing.
    mutating func onSettingsChange(_ settings: Settings)
}

extension Plugin {
    /// Does nothing.
    public func onSettingsChange(_ settings: Settings) {}
}

/// What is told about a plugin before any of its code has run.
public struct PluginDescription: Equatable, Sendable {
    /// Reverse domain, of a–z, 0–9, `-` and `.`; for ever the same: `"com.example.plasma"`.
    public var id: String
    /// The name that session files write, of letters, digits and `-`: `"Plasma"`.
    public var name: String
    /// `"1.2.3"`.
    public var version: String
    /// One line for people.
    public var summary: String
    /// Who made it.
    public var vendor: String?
    /// Where to read more.
    public var url: String?

    /// Describes a plugin.
    public init(
        id: String, name: String, version: String, summary: String, vendor: String? = nil,
        url: String? = nil
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.summary = summary
        self.vendor = vendor
        self.url = url
    }
}
