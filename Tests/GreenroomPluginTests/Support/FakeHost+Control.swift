import GreenroomABI
import GreenroomMedia
import Synchronization
import Testing

/// What the fake host knows of a session that a plugin may control.
struct FakeControl {
    var isGranted = false
    /// Commands that were taken, in order.
    var commands: [String] = []
    var description = #"{"session":"fake"}"#
    var report = #"{"seconds":1}"#
}

extension FakeHost {
    static let control = Leaked(
        gr_control_host(
            struct_size: UInt32(MemoryLayout<gr_control_host>.size), reserved: 0,
            command: { id, text, number in
                guard let host = FakeHost[id] else { return Status.gone.rawValue }
                let command = String(cString: text)
                guard command != "dance" else { return host.refuse(.badArgument, "no command") }
                number.pointee = host.state.withLock { state in
                    state.control.commands.append(command)
                    return UInt32(state.control.commands.count)
                }
                return Status.ok.rawValue
            },
            describe: { id, buffer, capacity, length in
                FakeHost.copy(id, \.description, buffer, capacity, length)
            },
            report: { id, buffer, capacity, length in
                FakeHost.copy(id, \.report, buffer, capacity, length)
            }))

    private static func copy(
        _ id: UInt64, _ text: KeyPath<FakeControl, String>, _ buffer: UnsafeMutablePointer<CChar>,
        _ capacity: UInt64, _ length: UnsafeMutablePointer<UInt64>
    ) -> gr_status {
        guard let host = FakeHost[id] else { return Status.gone.rawValue }
        let bytes = Array(host.state.withLock { $0.control[keyPath: text] }.utf8)
        guard bytes.count < capacity else { return host.refuse(.badLength, "too small") }
        for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
        buffer[bytes.count] = 0
        length.pointee = UInt64(bytes.count)
        return Status.ok.rawValue
    }
}

extension FakeSession {
    /// Passes an event of the session.
    func event(_ json: String) throws {
        let table = try #require(extensionTable(GR_EXT_CONTROL))
            .assumingMemoryBound(to: gr_control.self).pointee
        table.event(plugin.pointee.`self`, json)
    }
}
