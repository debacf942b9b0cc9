import CLinux
import Synchronization

/// The two ends of a channel.
package enum ChannelSide: UInt32, Sendable {
    case host = 1
    case runner = 2

    var other: ChannelSide { self == .host ? .runner : .host }
}

/// The channels between a host and a runner: one shared memory, divided.
package final class Channels: Sendable {
    /// The channel for the host's calls on the control thread.
    package static let control = 0
    /// The channel for the frames of a pre-processor.
    package static let media = 1
    /// The first channel for threads of the plugin.
    package static let firstOfPlugin = 2
    /// Number of channels. A thread of the plugin waits while none is free, so there are enough for a full room: four
    /// threads for each of 16 guests, as many for their shares, and more for viewers.
    package static let count = 256
    /// Size limit of a message. The largest messages are 100 ms of 192 kHz stereo audio, and the
    /// descriptors of a library with a hundred plugins. Untouched pages use no memory.
    package static let messageByteCount = stride - headerByteCount

    static let stride = 256 * 1024
    static let headerByteCount = 64

    package let memory: SharedMemory
    package let side: ChannelSide
    private let lost = Atomic(false)
    /// A bit for each channel that this side has used: waking the others would only make memory for them.
    private let used: InlineArray<4, Atomic<UInt64>> = InlineArray { _ in Atomic(0) }

    /// Makes the host's end.
    ///
    /// - Throws: ``ChannelError`` if there is no memory.
    package init() throws(ChannelError) {
        memory = try SharedMemory(
            name: "greenroom-channels", byteCount: Self.count * Self.stride)
        side = .host
    }

    /// Makes the runner's end; closes the descriptor.
    ///
    /// - Throws: ``ChannelError`` if the memory is not of the expected size.
    package init(adopting descriptor: Int32) throws(ChannelError) {
        memory = try SharedMemory(
            adopting: descriptor, byteCount: Self.count * Self.stride)
        side = .runner
    }

    /// A channel.
    ///
    /// - Parameter index: An index below ``count``.
    package subscript(index: Int) -> Channel {
        precondition((0..<Self.count).contains(index))
        let (word, bit) = (index / 64, UInt64(1) << UInt64(index % 64))
        if used[word].load(ordering: .relaxed) & bit == 0 {
            // In one order with `lost`: a thread sees the loss, or the loss wakes the thread.
            used[word].bitwiseOr(bit, ordering: .sequentiallyConsistent)
        }
        return Channel(channels: self, index: index)
    }

    /// Whether the other side is lost.
    package var isLost: Bool { lost.load(ordering: .sequentiallyConsistent) }

    /// Ends every call and wait of this side, because the other side is lost. [any]
    package func lose() {
        lost.store(true, ordering: .sequentiallyConsistent)
        for index in 0..<Self.count {
            let word = used[index / 64].load(ordering: .sequentiallyConsistent)
            if word & 1 << UInt64(index % 64) != 0 { self[index].lose() }
        }
        publish(sends: false)
    }

    // MARK: The sender's state

    /// The word with the sender's state: the lowest bit is 1 while the sender accepts frames; the
    /// other bits count the changes. The word follows the messages in the header of the control
    /// channel.
    ///
    /// A plugin's process reads the word without a call. The word shows whether the process may
    /// wait for its next frame, and whether a granted lease is still valid.
    private var senderWord: UnsafeMutablePointer<UInt32> {
        (memory.base + 16).assumingMemoryBound(to: UInt32.self)
    }

    /// The state of the sender. Equal values mean that the state has not changed. [any]
    package var senderState: SenderState { SenderState(rawValue: greenroom_load(senderWord)) }

    /// Publishes a change of the sender's state or lease. One thread of the host at a time.
    package func publish(sends: Bool) {
        let count = senderState.rawValue >> 1 &+ 1
        greenroom_store(senderWord, count << 1 | (sends ? 1 : 0))
        greenroom_futex_wake(senderWord)
    }

    /// Waits until a time on the monotonic clock while the sender accepts frames.
    ///
    /// - Returns: Whether the time was reached; false if the sender accepts no frames, or the other
    ///   side is lost.
    package func waitWhileSending(until deadline: Int64) -> Bool {
        while true {
            let state = senderState
            guard state.sends, !isLost else { return false }
            let now = greenroom_monotonic_now()
            if now >= deadline { return true }
            greenroom_futex_wait_until(
                senderWord, state.rawValue, min(deadline, now + Channel.checkNanoseconds))
        }
    }
}

/// The sender state that the plugin's process can read without a call.
package struct SenderState: RawRepresentable, Equatable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Whether the sender accepts frames.
    package var sends: Bool { rawValue & 1 != 0 }
}

/// A call in both directions between one thread of the host and one thread of the runner.
///
/// The two threads take turns. The called side may call back before it returns, so that both
/// together act as one thread that changes the process.
///
/// A message is a call, a length, and bytes. The side whose turn it is owns all of it. A plugin that
/// breaks this rule spoils its own messages: each side copies a value once and then checks the copy.
///
/// Public for other modules to specialize what reads and writes values.
public struct Channel: Sendable {
    fileprivate let channels: Channels
    /// The channel's index.
    package let index: Int
    /// Sendable for the same reason as the memory's base.
    nonisolated(unsafe) private let base: UnsafeMutableRawPointer

    fileprivate init(channels: Channels, index: Int) {
        self.channels = channels
        self.index = index
        base = channels.memory.base + index * Channels.stride
    }

    /// The interval at which a waiting side checks whether the other side is lost, in nanoseconds.
    /// ``Channels/lose()`` wakes it, unless a faulty process writes the words on which it waits.
    fileprivate static let checkNanoseconds: Int64 = 5_000_000_000

    // Layout: whose turn it is, the kind, the length.
    private var turn: UnsafeMutablePointer<UInt32> { base.assumingMemoryBound(to: UInt32.self) }
    private var kind: UnsafeMutablePointer<UInt32> { turn + 1 }
    private var length: UnsafeMutablePointer<UInt32> { turn + 2 }

    /// The message's bytes. Shared: another process may write to them while they are read.
    @usableFromInline package var message: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(
            start: base + Channels.headerByteCount, count: Channels.messageByteCount)
    }

    /// Passes the message and the turn to the other side.
    package func send(_ call: RemoteCall, length count: Int = 0) {
        greenroom_store(kind, call.rawValue)
        greenroom_store(length, UInt32(clamping: count))
        greenroom_store(turn, channels.side.other.rawValue)
        wake()
    }

    /// Waits for this side's turn, and so for a message. Until this side sends, further calls
    /// receive the same message.
    ///
    /// - Returns: The call of the other side, and the length of the message, at most
    ///   ``Channels/messageByteCount``; nil if the other side is lost.
    package func receive() -> (call: RemoteCall, length: Int)? {
        while true {
            let turn = greenroom_load(self.turn)
            if channels.isLost { return nil }
            if turn == channels.side.rawValue { break }
            greenroom_futex_wait_until(
                self.turn, turn, greenroom_monotonic_now() + Self.checkNanoseconds)
        }
        return (
            RemoteCall(rawValue: greenroom_load(kind)),
            min(Int(greenroom_load(length)), Channels.messageByteCount)
        )
    }

    /// Calls the other side, and serves its calls until it returns.
    ///
    /// - Parameters:
    /// - length: The length of the message.
    /// - serve: Serves a call: writes the answer to the message and returns its length. Returns nil
    ///   for a call that is not allowed here, which ends this call.
    /// - Returns: The answer's length; nil if the other side is lost or made a call that is not
    ///   allowed.
    package func call(
        _ call: RemoteCall, length: Int = 0, serve: (RemoteCall, Int) -> Int? = { _, _ in nil }
    ) -> Int? {
        send(call, length: length)
        return waitForReturn(serve: serve)
    }

    /// Serves the other side's calls until it returns from a call that this side has sent.
    ///
    /// - Returns: As ``call(_:length:serve:)``.
    package func waitForReturn(serve: (RemoteCall, Int) -> Int?) -> Int? {
        while let (call, length) = receive() {
            if call == .return { return length }
            guard let answer = serve(call, length) else { return nil }
            send(.return, length: answer)
        }
        return nil
    }

    private func wake() { greenroom_futex_wake(turn) }

    /// Ends this side's wait for a turn. The turn becomes nobody's, so that a thread that is about to wait does
    /// not.
    fileprivate func lose() {
        greenroom_store(turn, channels.side.rawValue + 2)
        wake()
    }
}
