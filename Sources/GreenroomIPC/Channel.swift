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
    /// The host's control thread calls the plugin through it.
    package static let control = 0
    /// A pre-processor's frames go through it.
    package static let media = 1
    /// The first of those that threads of the plugin open.
    package static let firstOfPlugin = 2
    /// How many there are; a plugin's further threads wait for one to become free.
    package static let count = 64
    /// Bytes of a channel's message at most: 100 ms of 192 kHz stereo, and what goes with it.
    package static let messageByteCount = stride - headerByteCount

    static let stride = 128 * 1024
    static let headerByteCount = 64

    package let memory: SharedMemory
    package let side: ChannelSide
    private let isOver = Atomic(false)

    /// Makes the host's end.
    package init() throws(ChannelError) {
        memory = try SharedMemory(
            name: "greenroom-channels", byteCount: Self.count * Self.stride)
        side = .host
    }

    /// Makes the runner's end, and takes the descriptor over.
    package init(adopting descriptor: Int32) throws(ChannelError) {
        memory = try SharedMemory(
            adopting: descriptor, byteCount: Self.count * Self.stride)
        side = .runner
    }

    /// A channel.
    ///
    /// - Parameter index: Below ``count``.
    package subscript(index: Int) -> Channel {
        precondition((0..<Self.count).contains(index))
        return Channel(channels: self, index: index)
    }

    /// Whether the other side is lost.
    package var isLost: Bool { isOver.load(ordering: .acquiring) }

    /// Ends every call and wait of this side: the other one is lost. [any]
    package func lose() {
        isOver.store(true, ordering: .releasing)
        for index in 0..<Self.count { self[index].wake() }
    }
}

/// A thread of the host and a thread of the runner that take turns: each calls the other, and what
/// is called may call back before it returns, so that the two together are like one thread that is
/// in one process now and in the other then.
///
/// A message is a kind, a length, and bytes. The side whose turn it is owns all of it; a plugin
/// that breaks that rule spoils its own messages, which are copied once before they are believed.
package struct Channel: Sendable {
    fileprivate let channels: Channels
    /// Its place among the channels.
    package let index: Int
    /// Safe to send: as the memory's.
    nonisolated(unsafe) private let base: UnsafeMutableRawPointer

    fileprivate init(channels: Channels, index: Int) {
        self.channels = channels
        self.index = index
        base = channels.memory.base + index * Channels.stride
    }

    /// How often a waiting side looks whether the other one is lost, besides being woken.
    private static let glanceNanoseconds: Int64 = 100_000_000

    // Layout: whose turn it is, the kind, the length.
    private var turn: UnsafeMutablePointer<UInt32> { base.assumingMemoryBound(to: UInt32.self) }
    private var kind: UnsafeMutablePointer<UInt32> { turn + 1 }
    private var length: UnsafeMutablePointer<UInt32> { turn + 2 }

    /// The message's bytes. Shared: another process may write to them while they are read.
    package var message: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(
            start: base + Channels.headerByteCount, count: Channels.messageByteCount)
    }

    /// Gives the other side its turn.
    package func pass(_ call: Call, length count: Int = 0) {
        greenroom_store(kind, call.rawValue)
        greenroom_store(length, UInt32(clamping: count))
        greenroom_store(turn, channels.side.other.rawValue)
        wake()
    }

    /// Waits for this side's turn.
    ///
    /// - Returns: What the other side wants, and how many bytes go with it, at most
    ///   ``Channels/messageByteCount``; nil if it is lost.
    package func take() -> (call: Call, length: Int)? {
        let mine = channels.side.rawValue
        while true {
            let now = greenroom_load(turn)
            if channels.isLost { return nil }
            if now == mine { break }
            greenroom_futex_wait(turn, now, Self.glanceNanoseconds)
        }
        return (
            Call(rawValue: greenroom_load(kind)),
            min(Int(greenroom_load(length)), Channels.messageByteCount)
        )
    }

    /// Calls the other side, and serves what it calls until it returns.
    ///
    /// - Parameters:
    ///   - length: How many bytes of the message are written.
    ///   - serve: Answers a call: leaves the answer in the message, and returns its length; nil
    ///     for a call that is not allowed here, which ends the channel.
    /// - Returns: The answer's length; nil if the other side is lost.
    package func call(
        _ call: Call, length: Int = 0, serve: (Call, Int) -> Int? = { _, _ in nil }
    ) -> Int? {
        pass(call, length: length)
        while let (call, length) = take() {
            if call == .return { return length }
            guard let answer = serve(call, length) else { return nil }
            pass(.return, length: answer)
        }
        return nil
    }

    fileprivate func wake() { greenroom_futex_wake(turn) }
}
