import CLinux
import Glibc

/// The socket between a host and a runner. The socket passes descriptors and opens channels. When
/// it closes, the other side is gone. Messages arrive whole or not at all.
package struct ControlSocket: ~Copyable, Sendable {
    /// The kind of a message.
    package enum Kind: UInt32, Sendable {
        /// Host to runner, first: the memory of the channels, and of the frames for video.
        case setup = 1
        /// Runner to host: a thread of the plugin will use the channel with this number.
        case openChannel = 2
        /// Runner to host: the descriptor of the sandbox's notifications.
        case sandboxNotifier = 3
        /// Host to runner: a request for a pong.
        case ping = 4
        /// Runner to host: the answer to the ping with the same number.
        case pong = 5
        /// Host to runner: the end of the connection.
        case end = 6
        /// Connecting program to host, first: a ``ProgramGreeting``.
        case greeting = 7
        /// Host to connecting program, instead of a setup: a ``ProgramRefusal``.
        case refusal = 8
        /// Host to runner: the socket of another runner in this process.
        case addInstance = 9
        /// Host to runner: the memory with this number, for reading.
        case addMemory = 10
        /// Host to runner: the memory with this number no longer contains a frame.
        case removeMemory = 11
        /// Host to runner: the descriptor that the answer with this number promises.
        case descriptor = 12
        /// Host to a server of runners: start a runner with this socket and this output.
        case fork = 13
        /// Server to host: the started process, by id and pidfd.
        case forked = 14
        /// Server to host: the end of the process, as its exit status, or 256 plus the signal that
        /// killed it.
        case forkedEnd = 15
    }

    package struct Message: Sendable {
        package var kind: Kind
        package var value: UInt32
        /// Descriptors in the message, numbered in the receiver.
        package var descriptors: [Int32] = []

        package init(kind: Kind, value: UInt32, descriptors: [Int32] = []) {
            self.kind = kind
            self.value = value
            self.descriptors = descriptors
        }
    }

    /// The result of a read.
    package enum Received: Sendable {
        case message(Message)
        /// Nothing has arrived yet.
        case nothing
        /// The other side has closed its end.
        case end
        /// An invalid message.
        case garbage
    }

    /// The descriptor of the socket in a process that a host has started.
    package static let ofStartedProcess: Int32 = 3
    /// The descriptor of the channels in the interpreter of a script.
    package static let channelsOfScript: Int32 = 4

    package let descriptor: Int32

    /// - Parameter descriptor: The socket's descriptor. The value closes it.
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

    /// Ends the connection in both directions; the descriptor stays open. [any]
    package borrowing func disconnect() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends a message; never waits. [any]
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

    /// Closes descriptors that a peer sent. Never waits, even for a socket that is set to linger.
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
