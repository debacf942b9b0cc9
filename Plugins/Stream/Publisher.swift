import PluginEncoding
import GreenroomPlugin
import GreenroomSystem
import Synchronization

/// Sends packets on a separate thread, and connects again when the connection is lost.
final class Publisher: Sendable {
    /// The time that the rest may take at the end: below the 10 s that the host gives an output's stop-send.
    private static let longestEnd: Int64 = 5_000

    let queue = PacketQueue()
    private let interruption = NetworkTimeout()
    private let hasEnded = Atomic(false)
    private let begun = StreamWakeup()
    private let ended = StreamWakeup()
    private let thread: Mutex<PluginThread?> = Mutex(nil)

    /// Starts to connect.
    init(_ address: StreamAddress, _ content: StreamContent, host: PluginHost) throws {
        let thread = try PluginThread(name: "stream") { [self] in
            run(address, content, host)
            hasEnded.store(true, ordering: .relaxed)
            begun.post()
            ended.post()
        }
        self.thread.withLock { $0 = thread }
    }

    /// Waits for the first connection, or until it has failed.
    func waitForConnection(milliseconds: Int64) { begun.wait(milliseconds: milliseconds) }

    /// Ends the stream. Its rest is sent if the network takes it in time.
    func finish() {
        queue.finish()
        let end = StreamWakeup.now() + Self.longestEnd
        while !hasEnded.load(ordering: .relaxed), case let left = end - StreamWakeup.now(), left > 0
        {
            ended.wait(milliseconds: left)
        }
        interruption.stop()
        thread.withLock { $0 }?.join()
    }

    private func run(_ address: StreamAddress, _ content: StreamContent, _ host: PluginHost) {
        var delay = RestartDelay()
        var connections = 0
        while !queue.isFinished {
            let start = StreamWakeup.now()
            host.setState(.connecting, address.name)
            do {
                try send(to: address, content, host) {
                    connections += 1
                    host.report("reconnections", connections - 1)
                }
            } catch {
                queue.setOpen(false)
                begun.post()
                guard !queue.isFinished else {
                    host.log(.warning, "\(error); the end of the stream is lost")
                    return
                }
                let pause = delay.next(afterRun: (StreamWakeup.now() - start) * 1_000_000)
                host.setState(.lost, "\(error); reconnecting in \(RestartDelay.text(pause))")
                queue.waitForFinish(nanoseconds: pause)
            }
        }
    }

    /// Sends until the packets end.
    private func send(
        to address: StreamAddress, _ content: StreamContent, _ host: PluginHost,
        whenLive: () -> Void
    ) throws {
        // The session clock names the first packet; until then the server sees no stream.
        queue.setOpen(true)
        begun.post()
        guard let first = queue.next() else { return }
        let connection = try StreamConnection(
            address, content, start: first.packet.start, interruption)
        host.setState(.live, address.name)
        whenLive()
        try connection.write(first.packet)
        // Packets that waited for the connection leave at once, and do not count as late.
        var backlog = queue.behind
        while backlog > 0, let item = queue.next() {
            try connection.write(item.packet)
            backlog = min(backlog - item.packet.duration, queue.behind)
        }
        queue.beginSending()
        while let item = queue.next() { try connection.write(item.packet) }
        try connection.finish()
    }
}
