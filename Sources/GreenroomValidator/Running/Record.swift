import GreenroomModel
import CLinux
import GreenroomConversion
import GreenroomHarness
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

/// The record of a run: frames, audio, calls and events. [any]
final class Record: Sendable {
    /// A received frame.
    struct Frame: Equatable, Sendable {
        var format: PixelFormat
        var size: FrameSize
        var info: FrameInfo
        /// The frame's arrival, in nanoseconds on the session clock.
        var arrival: Int64
        /// The digest of all visible bytes. Different digests mean different frames.
        var digest: UInt64
    }

    private struct State {
        var frames: [Frame] = []
        var calls: [TracedCall] = []
        var edits: [TracedEdit] = []
        var takes: [TracedTake] = []
        var editingThread: Int32?
        var events: [SessionEvent] = []
        var samples: [Int16] = []
    }

    /// The observers have separate members, because a closure that wraps its predecessor in a mutex grows by
    /// one call with each access, until the stack overflows.
    private struct Onlookers {
        var ofFrames: (@Sendable (borrowing VideoFrame) -> Void)?
        var ofCalls: (@Sendable (TracedCall) -> Void)?
        var ofTakes: (@Sendable (TracedTake) -> Void)?
    }

    private let state = Mutex(State())
    private let onlookers = Mutex(Onlookers())

    /// Passes each frame to an observer, on the thread that receives frames.
    func onFrame(_ body: @escaping @Sendable (borrowing VideoFrame) -> Void) {
        onlookers.withLock { $0.ofFrames = body }
    }

    /// Passes each call to an observer, on the calling thread, before the plugin receives the
    /// answer.
    func onCall(_ body: @escaping @Sendable (TracedCall) -> Void) {
        onlookers.withLock { $0.ofCalls = body }
    }

    /// Passes each frame and block for an output to an observer, before its call and after it.
    func onTake(_ body: @escaping @Sendable (TracedTake) -> Void) {
        onlookers.withLock { $0.ofTakes = body }
    }

    /// Calls an observer after each sent frame, on the plugin's calling thread.
    func onFrameSent(_ body: @escaping @Sendable () -> Void) {
        onCall { call in
            switch call.request {
            case .sendFrame, .commit: body()
            default: break
            }
        }
    }

    /// Frames, oldest first.
    var frames: [Frame] { state.withLock { $0.frames } }
    /// The plugin's calls of the host, oldest first.
    var calls: [TracedCall] { state.withLock { $0.calls } }
    /// The traced edits of a pre-processor.
    var edits: [TracedEdit] { state.withLock { $0.edits } }
    /// The frames and blocks that an output got.
    var takes: [TracedTake] { state.withLock { $0.takes } }
    /// The thread of this process that hands over frames; nil before the first.
    var editingThread: Int32? { state.withLock { $0.editingThread } }
    /// The events that a session would report.
    var events: [SessionEvent] { state.withLock { $0.events } }
    /// The session's audio since the harness's start: 48 kHz stereo, interleaved.
    var samples: [Int16] { state.withLock { $0.samples } }

    func take(_ frame: borrowing VideoFrame, at arrival: Int64) {
        let entry = Frame(
            format: frame.format, size: frame.size, info: frame.info, arrival: arrival,
            digest: frame.digest)
        state.withLock { $0.frames.append(entry) }
        onlookers.withLock { $0.ofFrames }?(frame)
    }

    func take(_ call: TracedCall) {
        state.withLock { $0.calls.append(call) }
        onlookers.withLock { $0.ofCalls }?(call)
    }
    func take(_ edit: TracedEdit) {
        state.withLock { state in
            state.edits.append(edit)
            state.editingThread = greenroom_thread_number()
        }
    }
    func take(_ take: TracedTake) {
        if take.status != nil { state.withLock { $0.takes.append(take) } }
        onlookers.withLock { $0.ofTakes }?(take)
    }
    func take(_ event: SessionEvent) { state.withLock { $0.events.append(event) } }

    func take(_ audio: Span<Int16>) {
        audio.withUnsafeBufferPointer { audio in
            state.withLock { $0.samples.append(contentsOf: audio) }
        }
    }
}
