/// The needs of a plugin's process. A plugin that is not bundled with the host gets nothing by asking: the session file
/// grants it.
public struct PluginNeeds: OptionSet, Sendable, Hashable {
    /// The bits of `GR_NEED_…`.
    public let rawValue: UInt16

    /// Makes needs from the bits of `GR_NEED_…`.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A separate process, because the plugin decodes foreign data or runs foreign code.
    public static let process = PluginNeeds(rawValue: 1)
    /// One process for all plugins of the library in a session; if it is a bundled one, those with equal grants.
    public static let oneProcess = PluginNeeds(rawValue: 2)
    /// Connections to the network.
    public static let network = PluginNeeds(rawValue: 4)
    /// Its own sandbox instead of the host's.
    public static let ownSandbox = PluginNeeds(rawValue: 8)
}
