package import GreenroomPluginInterface

/// The other way for lives to begin: a plugin arrives by itself, and only then can
/// ``PluginFactory/begin(_:in:)`` and ``InstanceBackend/create(_:)`` lead to something.
///
/// One at a time: the next one is let in when the life of the one before has ended. That a life
/// ends, in order or without a word, is no failure of such a plugin; it may come again.
package protocol PeerListener: Sendable {
    /// Lets plugins in from now on.
    ///
    /// - Parameter tell: Takes the news, on any thread.
    /// - Throws: ``LoadError`` where nobody could arrive.
    func open(_ tell: @escaping @Sendable (Arrival) -> Void) throws(LoadError)

    /// Whether a plugin waits for its life to begin. [any]
    var hasPendingPeer: Bool { get }

    /// Lets nobody in any more, and sends away who waits. Lives that have begun go on. Closing
    /// twice does nothing.
    func close()
}

/// News of plugins that arrive by themselves.
package enum Arrival: Equatable, Sendable {
    /// One waits for its life to begin; the text says who it is.
    case waiting(String)
    /// One was sent away; the text says who and why.
    case refused(String)
}

extension PluginFactory {
    /// Lives begin whenever the host likes.
    package var arrivals: (any PeerListener)? { nil }
}
