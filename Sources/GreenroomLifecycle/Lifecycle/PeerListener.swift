package import GreenroomPluginInterface

/// Listens for a plugin that connects by itself. ``PluginFactory/begin(_:in:)`` and
/// ``InstanceBackend/create(_:)`` succeed only after the plugin has connected.
///
/// Only one plugin is connected at a time; the listener accepts the next one after the last life
/// has ended. The end of a life is never a failure, because the plugin may connect again.
package protocol PeerListener: Sendable {
    /// Starts to accept plugins.
    ///
    /// - Parameter tell: Receives events, on any thread.
    /// - Throws: ``LoadError`` if the listener cannot listen.
    func open(_ tell: @escaping @Sendable (IncomingConnection) -> Void) throws(LoadError)

    /// Whether a connected plugin waits for its life to begin. [any]
    var hasPendingPeer: Bool { get }

    /// Stops accepting plugins and refuses waiting ones. Existing lives continue. A second call
    /// does nothing.
    func close()
}

/// An event of a plugin that connects by itself.
package enum IncomingConnection: Equatable, Sendable {
    /// A plugin waits for its life to begin. The text describes the plugin.
    case waiting(String)
    /// The host refused a plugin. The text describes the plugin and the reason.
    case refused(String)
}

extension PluginFactory {
    /// The listener: nil, because the host decides when lives begin.
    package var arrivals: (any PeerListener)? { nil }
}
