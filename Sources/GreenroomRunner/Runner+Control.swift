import Glibc
import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import Synchronization

extension Runner {
    /// Whether the plugin may control its session.
    var mayControl: Bool { state.withLock { $0.mayControl } }
}

extension RunnerInterface {
    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) static let control = leaked(
        gr_control_host(
            struct_size: UInt32(MemoryLayout<gr_control_host>.size), reserved: 0,
            command: { instance, text, number in
                guard let (runner, host) = route(instance: instance) else { return gone }
                let channel = runner.channel
                channel.write(host, at: MessageLayout.name)
                // If `number` is NULL, the message has no command. One byte above the limit is
                // enough for the host to refuse a long command.
                let length = channel.write(
                    text: text, after: MessageLayout.subject,
                    isNull: UInt(bitPattern: number) == 0, limit: Int(GR_MAX_COMMAND) + 1)
                let status = channel.status(of: .command, length: length)
                if status == Status.ok.rawValue {
                    number.pointee = channel.read(at: MessageLayout.subject)
                }
                return status
            },
            describe: { copyText(.describeSession, $0, $1, $2, $3) },
            report: { copyText(.reportSession, $0, $1, $2, $3) }))

    /// Copies a text of the session, with its NUL, and stores its length.
    private static func copyText(
        _ call: RemoteCall, _ instance: UInt64, _ buffer: UnsafeMutablePointer<CChar>,
        _ capacity: UInt64, _ length: UnsafeMutablePointer<UInt64>
    ) -> gr_status {
        guard let (runner, host) = route(instance: instance) else { return gone }
        guard UInt(bitPattern: buffer) != 0, UInt(bitPattern: length) != 0 else {
            return Status.badArgument.rawValue
        }
        let channel = runner.channel
        channel.write(host, at: MessageLayout.name)
        channel.write(capacity, at: MessageLayout.subject)
        let status = channel.status(of: call, length: MessageLayout.subject + 8)
        guard status == Status.ok.rawValue else { return status }
        // The host has written at most as many bytes as the buffer holds.
        let written = channel.read(UInt64.self, at: MessageLayout.subject)
        let text = UnsafeRawBufferPointer(channel.message).dropFirst(MessageLayout.samples)
        let count = min(Int(clamping: written), text.count, Int(clamping: capacity) - 1)
        guard count >= 0 else { return Status.badLength.rawValue }
        UnsafeMutableRawBufferPointer(start: buffer, count: count)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: text.prefix(count)))
        buffer[count] = 0
        length.pointee = UInt64(count)
        return status
    }
}
