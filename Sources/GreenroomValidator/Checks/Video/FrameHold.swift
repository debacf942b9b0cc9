import GreenroomConversion
import Synchronization

/// Keeps the last frames in use, so that their memory is not reused immediately. [any]
final class FrameHold: Sendable {
    private struct State: ~Copyable {
        var frames: InlineArray<4, VideoFrame?> = InlineArray { _ in nil }
        var next = 0
    }

    private let state = Mutex(State())

    func keep(_ frame: borrowing VideoFrame) {
        var kept: VideoFrame? = frame.share()
        state.withLock { state in
            state.frames[state.next] = kept.take()
            state.next = (state.next + 1) % state.frames.count
        }
    }
}
