import Synchronization

/// Opens a viewer's feeds when the connection and the feeds are there, whichever comes last.
final class Opening: Sendable {
    private struct State {
        var isConnected = false
        var feeds: [Feed] = []
        var stream: VideoStream?
    }

    private let state = Mutex(State())

    /// The viewer is connected.
    func open() {
        state.withLock { $0.isConnected = true }
        openBoth()
    }

    /// What to open.
    func set(_ feeds: [Feed], _ stream: VideoStream?) {
        state.withLock { state in
            state.feeds = feeds
            state.stream = stream
        }
        openBoth()
    }

    private func openBoth() {
        let (feeds, stream) = state.withLock { state -> ([Feed], VideoStream?) in
            guard state.isConnected, !state.feeds.isEmpty else { return ([], nil) }
            defer { (state.feeds, state.stream) = ([], nil) }
            return (state.feeds, state.stream)
        }
        for feed in feeds { feed.open() }
        stream?.requestKey()
    }
}
