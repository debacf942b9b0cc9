import CLinux
import Glibc

/// The socket between a host and a runner: passes descriptors, opens channels, and tells by its end
/// that the other side is gone. Messages are whole or nothing.
package struct ControlSocket: ~Copyable, Sendable {
    /// What a message says.
    package enum Kind: UInt32, Sendable {
        /// The host to the runner: the channels' memory, and the frames' if there are any.
        case welcome = 1
        /// The runner to the host: a thread of the plugin will use the channel with that number.
        case open = 2
        /// The runner to the host: the descriptor that tells of refusals by the sandbox.
        case refusals = 3
        /// The host to the runner: are you there?
        case ping = 4
        /// The runner to the host: the answer, with the same number.
        case pong = 5
        /// The host to the runner: end.
        case end = 6
        /// A broadcast to the host, before anything else: a ``BroadcastGreeting``.
        case greeting = 7
        /// The host to a broadcast, in place of a welcome: a ``BroadcastRefusal``.
        case refusal = 8
        /// The host to the runner: a socket over which it wants another instance in the process.
        case another = 9
    }

    package struct Message: Sendable {
        package var kind: Kind
        package var value: UInt32
        /// The receiver's.
        package var descriptors: [Int32] = []
    }

    /// What came.
    package enum Received: Sendable {
        case message(Message)
        /// Nothing, for now.
        case nothing
        /// The other side has closed its end.
        case end
        /// Something that is no message.
        case garbage
    }

    package let descriptor: Int32

    /// Takes a descriptor over.
    package init(adopting descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Makes a connected pair.
    package static func pair() throws(ChannelError) -> (host: Int32, runner: Int32) {
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else {
            throw ChannelError("make a socket", errno: errno)
        }
        return (pair[0], pair[1])
    }

    /// A second descriptor of the same socket.
    package borrowing func copy() throws(ChannelError) -> ControlSocket {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw ChannelError("copy a socket", errno: errno) }
        return ControlSocket(adopting: copy)
    }

    /// Sends a message; never waits.
    ///
    /// - Returns: Whether it was sent.
    @discardableResult
    package borrowing func send(
        _ kind: Kind, _ value: UInt32 = 0, descriptors: [Int32] = []
    ) -> Bool {
        let words = [kind.rawValue, value]
        return words.withUnsafeBytes {
            greenroom_send(
                descriptor, $0.baseAddress ?? UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped,
                $0.count, descriptors, Int32(descriptors.count))
        } == words.count * 4
    }

    /// Closes descriptors that somebody else has sent, without waiting for anything: a socket may
    /// have been told to linger.
    package static func discard(_ descriptors: [Int32]) {
        for descriptor in descriptors {
            greenroom_do_not_linger(descriptor)
            close(descriptor)
        }
    }

    /// Receives a message.
    ///
    /// - Parameter waits: Whether to wait for one.
    package borrowing func receive(waits: Bool) -> Received {
        var words: InlineArray<4, UInt32> = InlineArray(repeating: 0)
        var descriptors: [Int32] = [-1, -1, -1, -1]
        var count: Int32 = 0
        var received = 0
        repeat {
            received = withUnsafeMutableBytes(of: &words) { [descriptor] bytes in
                bytes.baseAddress.map {
                    greenroom_receive(
                        descriptor, $0, bytes.count, &descriptors, &count, waits ? 1 : 0)
                } ?? 0
            }
        } while received == -Int(EINTR)
        let given = Array(descriptors.prefix(Int(count)))
        if received == -Int(EAGAIN) { return .nothing }
        if received == 0 || received == -Int(ECONNRESET) { return .end }
        guard received == 8, let kind = Kind(rawValue: words[0]) else {
            Self.discard(given)
            return received < 0 && received != -Int(EMSGSIZE) ? .end : .garbage
        }
        return .message(Message(kind: kind, value: words[1], descriptors: given))
    }
}
