import Synchronization

/// One viewer's way from an encoder: buffers pass once the viewer is connected, video from a key
/// frame on.
///
/// The queue is the pipeline's: a viewer that is stuck loses frames up to the next key frame.
final class Feed: Sendable {
    private enum State {
        case closed, awaitsKey, open
    }

    /// The most buffers that may wait.
    private static let longestQueue = 100

    private let source: Source
    private let isVideo: Bool
    private let state = Mutex(State.closed)

    init(_ source: Source, isVideo: Bool) {
        self.source = source
        self.isVideo = isVideo
    }

    /// The viewer is connected.
    func open() { state.withLock { $0 = isVideo ? .awaitsKey : .open } }

    /// Passes a buffer on.
    ///
    /// - Returns: Whether a key frame is needed.
    func take(_ buffer: EncodedBuffer) -> Bool {
        let isLate = source.waiting > Self.longestQueue
        let (passes, needsKey) = state.withLock { state in
            switch state {
            case .closed: return (false, false)
            // Asked for again until it is there: a request just before it may have had its key frame
            // before this feed was open, and a viewer who got nothing can't ask.
            case .awaitsKey where !buffer.isKey: return (false, true)
            case .awaitsKey, .open:
                guard !isLate else {
                    let wasOpen = state == .open
                    if isVideo { state = .awaitsKey }
                    return (false, wasOpen && isVideo)
                }
                state = .open
                return (true, false)
            }
        }
        if passes { source.push(buffer) }
        return needsKey
    }
}
