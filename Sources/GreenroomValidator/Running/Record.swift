import CLinux
import GreenroomConversion
import GreenroomHarness
import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

/// What was seen, heard and told of a life. [any]
final class Record: Sendable {
    /// A frame that came through.
    struct Frame: Equatable, Sendable {
        var format: PixelFormat
        var size: FrameSize
        var info: FrameInfo
        /// When it came, in nanoseconds on the session clock.
        var arrival: Int64
        /// Of all its visible bytes: frames with another one differ.
        var digest: UInt64
    }

    private struct State {
        var frames: [Frame] = []
        var calls: [TracedCall] = []
        var edits: [TracedEdit] = []
        var editingThread: Int32?
        var events: [SessionEvent] = []
        var samples: [Int16] = []
    }

    /// Members, because a closure that a mutex has for its whole value grows by a function with each
    /// look at it, until the stack is full.
    private struct Onlookers {
        var ofFrames: (@Sendable (borrowing VideoFrame) -> Void)?
        var ofCalls: (@Sendable (TracedCall) -> Void)?
    }

    private let state = Mutex(State())
    private let onlookers = Mutex(Onlookers())

    /// Shows each frame to somebody, whose thread is the one that the frames come on.
    func onFrame(_ body: @escaping @Sendable (borrowing VideoFrame) -> Void) {
        onlookers.withLock { $0.ofFrames = body }
    }

    /// Tells somebody of each call, on the thread that makes it, before the plugin has its answer.
    func onCall(_ body: @escaping @Sendable (TracedCall) -> Void) {
        onlookers.withLock { $0.ofCalls = body }
    }

    /// Calls somebody each time a frame was sent, on the thread that makes the plugin's call.
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
    /// Calls of the host's interface that the plugin made, oldest first.
    var calls: [TracedCall] { state.withLock { $0.calls } }
    /// What was noticed of each frame that a pre-processor has edited.
    var edits: [TracedEdit] { state.withLock { $0.edits } }
    /// The thread of this process that has frames edited; nil before the first.
    var editingThread: Int32? { state.withLock { $0.editingThread } }
    /// What the host would have told of.
    var events: [SessionEvent] { state.withLock { $0.events } }
    /// The session's sound since the pluginHarness's beginning: 48 kHz stereo, interleaved.
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
    func take(_ event: SessionEvent) { state.withLock { $0.events.append(event) } }

    func take(_ sound: Span<Int16>) {
        sound.withUnsafeBufferPointer { sound in
            state.withLock { $0.samples.append(contentsOf: sound) }
        }
    }
}

extension VideoFrame {
    /// A number made of all visible bytes, in words of 8 bytes.
    var digest: UInt64 {
        var digest = ContentDigest()
        for index in 0..<planeCount {
            let geometry = format.plane(index, of: size)
            let (bytes, stride) = (plane(index), strideBytes(index))
            guard !format.isCompressed else {
                for place in 0..<byteCount(index) { digest.add(UInt64(bytes.byte(place))) }
                continue
            }
            for row in 0..<geometry.rows {
                var place = row * stride
                let end = place + geometry.rowBytes
                while place + 8 <= end {
                    digest.add(
                        bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self))
                    place += 8
                }
                while place < end {
                    digest.add(UInt64(bytes.byte(place)))
                    place += 1
                }
            }
        }
        return digest.value
    }
}
