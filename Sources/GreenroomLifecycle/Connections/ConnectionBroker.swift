internal import CLinux
import Glibc
package import GreenroomABI
package import GreenroomMedia
import GreenroomPluginInterface
import GreenroomSystem
import Synchronization
package import SystemPackage

/// The reason for a refused connection.
package struct ConnectionError: Error, Equatable, Sendable, CustomStringConvertible {
    package var code: Status
    /// The broken rule and the fix.
    package var description: String
    package var underlyingError: Errno?

    package init(_ code: Status, _ description: String, underlyingError: Errno? = nil) {
        self.code = code
        self.description = description
        self.underlyingError = underlyingError
    }
}

/// Connects a plugin to the programs that its session grants, and creates the memory that the
/// plugin shares with them.
package final class ConnectionBroker: Sendable {
    private let grants: ConnectionGrants
    private let sockets: DesktopSockets
    private let madeBytes = Mutex<UInt64>(0)

    package init(_ grants: ConnectionGrants, sockets: DesktopSockets = DesktopSockets()) {
        self.grants = grants
        self.sockets = sockets
    }

    /// Connects to a program, or to the socket at an absolute path.
    ///
    /// - Returns: The connection. The caller owns its descriptor.
    package func open(_ name: String) throws(ConnectionError) -> gr_connection {
        var connection = gr_connection()
        connection.struct_size = UInt32(MemoryLayout<gr_connection>.size)
        let program = DesktopSockets.Program(rawValue: name)
        // The grant is missing even if the environment names no socket.
        if let program, !grants.mayCover(program) { throw .ungranted(program, name) }
        let path: String
        do throws(ConnectionError) {
            path =
                try program.map { program throws(ConnectionError) in
                    try sockets.path(of: program)
                } ?? name
            if program == .x11 { describe(try sockets.display(), in: &connection) }
        } catch {
            throw ConnectionError(.unavailable, "\(name): \(error).")
        }
        guard path.hasPrefix("/") else {
            throw ConnectionError(
                .badArgument,
                "not a program's name or an absolute path. Use x11, wayland, "
                    + "pipewire, session-bus or a path.")
        }
        guard grants.cover(path) else { throw .ungranted(program, path) }
        connection.descriptor = try connect(to: path, program)
        return connection
    }

    /// Creates memory with a sealed size.
    ///
    /// - Returns: The memory's descriptor, which the caller owns.
    package func makeMemory(byteCount: UInt64) throws(ConnectionError) -> Int32 {
        guard !grants.isEmpty else {
            throw ConnectionError(
                .unsupported,
                "shared memory needs a granted connection. Add allow: {display: true}, "
                    + "{pipewire: true} or {connect: [PATH]} to the plugin.")
        }
        guard byteCount > 0 else {
            throw ConnectionError(.badArgument, "the size is 0. Pass the bytes needed.")
        }
        let isWithinLimit = madeBytes.withLock { made in
            let (sum, overflow) = made.addingReportingOverflow(byteCount)
            guard !overflow, sum <= UInt64(GR_MAX_CONNECTION_MEMORY) else { return false }
            made = sum
            return true
        }
        guard isWithinLimit else {
            throw ConnectionError(
                .noBuffer,
                "the plugin exceeds its limit of \(GR_MAX_CONNECTION_MEMORY) bytes in all. "
                    + "Reuse memory.")
        }
        let memory = greenroom_memory("greenroom-shared", Int64(byteCount))
        guard memory >= 0 else { throw .failed("make shared memory", -memory) }
        let sealed = greenroom_seal(memory, 0)
        guard sealed == 0 else {
            close(memory)
            throw .failed("seal shared memory", -sealed)
        }
        return memory
    }

    /// Connects to the socket at a path. Does not follow a link that a plugin created after the
    /// session file was read.
    private func connect(
        to path: String, _ program: DesktopSockets.Program?
    ) throws(ConnectionError) -> Int32 {
        let place = Glibc.open(path, Int32(greenroom_open_path) | O_CLOEXEC)
        guard place >= 0 else { throw .unreachable(path, errno) }
        defer { close(place) }
        var status = stat()
        guard fstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw ConnectionError(.unavailable, "\(path): not a socket. Check the path.")
        }
        guard let real = resolvedPath("/proc/self/fd/\(place)"), grants.cover(real) else {
            throw .ungranted(program, path)
        }
        // A plugin may have linked another socket to the granted path.
        if program == nil, !grants.coversAll,
            let refusal = ConnectionGrants.refusal(of: real, nameCount: status.st_nlink)
        {
            throw ConnectionError(.unsupported, refusal)
        }
        let descriptor = greenroom_connect("/proc/self/fd/\(place)", greenroom_bytes)
        guard descriptor >= 0 else { throw .unreachable(path, -descriptor) }
        return descriptor
    }

    /// Adds a display's number, screen and key.
    private func describe(_ display: DesktopSockets.Display, in connection: inout gr_connection) {
        connection.display = display.number
        connection.screen = display.screen
        guard let path = sockets.keyFile,
            let file = try? FileDescriptor.contents(of: path),
            let key = DisplayKey.find(in: file, display: display.number, host: Self.hostName),
            key.count <= Int(GR_MAX_CONNECTION_KEY)
        else { return }
        connection.key_length = UInt32(key.count)
        withUnsafeMutableBytes(of: &connection.key) { $0.copyBytes(from: key) }
    }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension ConnectionError {
    /// - Parameter program: The named program; nil if the plugin named a path.
    fileprivate static func ungranted(_ program: DesktopSockets.Program?, _ path: String) -> Self {
        let grant =
            switch program {
            case .x11, .wayland: "display: true"
            case .pipewire: "pipewire: true"
            case .sessionBus, nil: "connect: [\(path)]"
            }
        return ConnectionError(
            .unsupported,
            "the session file does not grant \(path). Add allow: {\(grant)} to the plugin.")
    }

    fileprivate static func unreachable(_ path: String, _ errno: Int32) -> Self {
        let error = Errno(rawValue: errno)
        let cure =
            switch errno {
            case ENOENT, ECONNREFUSED: "Start the program that listens there"
            case EACCES, EPERM: "Run greenroom as the user of that program"
            case EAGAIN: "Try again: too many programs are connecting"
            default: "Check the path"
            }
        return ConnectionError(
            .unavailable, "\(path): \(error). \(cure).",
            underlyingError: error)
    }

    fileprivate static func failed(_ action: String, _ errno: Int32) -> Self {
        let error = Errno(rawValue: errno)
        return ConnectionError(
            .failed,
            "the host cannot \(action): \(error). Raise ulimit -n, or free memory.",
            underlyingError: error)
    }
}
