internal import GreenroomABI
internal import GreenroomMedia

// Connections that the host opens. Wraps `GR_EXT_CONNECTIONS`.

extension PluginHost {
    /// Connects to another program on behalf of a sandboxed plugin.
    ///
    /// - Returns: The connection. The caller closes its descriptor.
    /// - Throws: `Status.unsupported` without the grant in the session file, `Status.unavailable` if
    ///   nothing listens there. The text names the grant or the fix.
    public func connect(to program: HostConnection.Program) throws(SendRefusal) -> HostConnection {
        let functions = try connections
        var connection = gr_connection()
        connection.struct_size = UInt32(MemoryLayout<gr_connection>.size)
        try table.check(functions.open(table.instance, program.name, &connection))
        return HostConnection(connection)
    }

    /// Makes memory to share over a connection, on behalf of a sandboxed plugin.
    ///
    /// - Parameter byteCount: The size, which is sealed. A plugin may make 512 MiB in all, closed memory
    ///   included.
    /// - Returns: A descriptor. The caller maps and closes it.
    public func makeSharedMemory(byteCount: Int) throws(SendRefusal) -> Int32 {
        var descriptor: Int32 = -1
        try table.check(
            try connections.make_memory(
                table.instance, UInt64(clamping: byteCount), &descriptor))
        return descriptor
    }

    private var connections: gr_connections {
        get throws(SendRefusal) {
            guard let functions = table.connections else {
                throw SendRefusal(
                    status: .unsupported, text: "this host opens no connections for plugins")
            }
            return functions
        }
    }
}

/// A connection that the host has opened for a plugin.
public struct HostConnection: Sendable {
    /// The program to connect to.
    public enum Program: Hashable, Sendable {
        /// The X server that `DISPLAY` names. Needs `allow: { display: true }`.
        case x11
        /// The Wayland compositor that `WAYLAND_DISPLAY` names. Needs `allow: { display: true }`.
        case wayland
        /// PipeWire. Needs `allow: { pipewire: true }`.
        case pipewire
        /// The user's session bus (D-Bus). Needs its path in `allow: { connect: [PATH] }`.
        case sessionBus
        /// The Unix stream socket at an absolute path. Needs `allow: { connect: [PATH] }`.
        case socket(String)

        var name: String {
            switch self {
            case .x11: GR_CONNECT_X11
            case .wayland: GR_CONNECT_WAYLAND
            case .pipewire: GR_CONNECT_PIPEWIRE
            case .sessionBus: GR_CONNECT_SESSION_BUS
            case .socket(let path): path
            }
        }
    }

    /// A connected stream socket, to close after use.
    public var descriptor: Int32
    /// The number of the X display.
    public var display: Int
    /// The number of the X display's screen.
    public var screen: Int
    /// The X display's MIT-MAGIC-COOKIE-1; empty if there is none.
    public var key: [UInt8]

    init(_ connection: gr_connection) {
        descriptor = connection.descriptor
        display = Int(connection.display)
        screen = Int(connection.screen)
        key = withUnsafeBytes(of: connection.key) { Array($0.prefix(Int(connection.key_length))) }
    }
}
