import CGStreamer
import Synchronization

/// The events of a connection for its viewer, which is created later.
final class Opening: Sendable {
    private struct State {
        var isConnected = false
        weak var viewer: Viewer?
        var onTight: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Records that the connection is established.
    func open() {
        state.withLock { $0.isConnected = true }
        openFeeds()
    }

    /// The viewer is there.
    func set(_ viewer: Viewer, onTight: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.viewer = viewer
            state.onTight = onTight
        }
        openFeeds()
    }

    private func openFeeds() {
        guard let viewer = state.withLock({ $0.isConnected ? $0.viewer : nil }) else { return }
        for video in viewer.videos { video.open() }
        viewer.audio?.open()
    }

    /// Passes on the far end's report of received packets.
    func take(_ feedback: greenroom_peer_feedback) {
        let (viewer, onTight) = state.withLock { ($0.viewer, $0.onTight) }
        if viewer?.take(feedback) ?? false { onTight?() }
    }

    /// Requests a key frame for the far end.
    func requestKey(_ slot: Int) {
        let viewer = state.withLock { $0.viewer }
        viewer?.videos.first { $0.slot == slot }?.requestKey()
    }
}
