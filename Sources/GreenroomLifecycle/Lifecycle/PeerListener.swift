package import GreenroomPluginInterface

/// Listens for a plugin that connects by itself. ``PluginFactory/begin(_:in:)`` and
/// ``InstanceBackend/create(_:)`` succeed only after that.
///
/// One plugin at a time: the next one is accepted after the last life has ended. The end of a life,
/// orderly or not, is no failure: the plugin may connect again.
package protocol PeerListener: Sendable {
    /// Starts to accept plugins.
    ///
    /// - Parameter tell: Receives events, on any thread.
    /// - Throws: ``LoadError`` if it can't listen.
    func open(_ tell: @escaping @Sendable (IncomingConnection) -> Void) throws(LoadError)

    /// Whether a connected plugin waits for its life to begin. [any]
    var hasPendingPeer: Bool { get }

    /// Stops accepting plugins, and refuses waiting ones. Existing lives continue. Closing twice
    /// does nothing.
    func close()
}

/// An event of a plugin that connects by itself.
package enum IncomingConnection: Equatable, Sendable {
    /// A plugin waits for its life to begin; with its description.
    case waiting(String)
    /// A plugin was refused; with its description and the reason.
    case refused(String)
}

extension PluginFactory {
    /// The host decides when lives begin.
    package var arrivals: (any PeerListener)? { nil }
}
