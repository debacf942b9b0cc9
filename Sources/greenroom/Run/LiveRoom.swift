import Glibc
import GreenroomHost
import GreenroomMedia
import GreenroomModel
import GreenroomOutputs
import RoomAccess
import GreenroomSession

/// The room of `greenroom live`: its call, and its links.
struct LiveRoom {
    private static let names = ["WebRoom", "org.greenroom.web-room"]

    /// The tokens by role, in printing order.
    private let tokens: [(role: Access.Role, token: String)]
    private let address: String
    private let hasPublicURL: Bool

    /// Adds the room to a session, or completes the session's room.
    ///
    /// - Parameters:
    ///   - port: The port; nil to use the file's port or else a free port.
    ///   - control: Whether operators may control the session even if the file does not allow it.
    /// - Throws: ``ExitError`` if the file has another call, or the port is in use.
    init(_ configuration: inout SessionConfiguration, port: Int?, control: Bool) throws {
        let index = configuration.outputs.firstIndex { $0.output.isCall }
        var plugin = PluginConfiguration("WebRoom")
        if let index, let own = configuration.outputs[index].output.plugin {
            guard Self.names.contains(own.plugin) else {
                throw ExitError(
                    .badFile,
                    "the session has the call \(own.plugin), and a session has at most one: remove "
                        + "it, or run the session with greenroom run")
            }
            plugin = own
        }
        func text(_ name: String) -> String? {
            guard case .string(let text) = plugin.settings[name], !text.isEmpty else { return nil }
            return text
        }
        address = text("address") ?? "127.0.0.1"
        hasPublicURL = text("public-url") != nil
        tokens = try Access.Role.allCases.map { role in
            let name = "\(role.rawValue)-token"
            guard let file = text(SecretFile.key(of: name)), text(name) == nil else {
                return (role, text(name) ?? Secret.random())
            }
            do throws(InvalidValueError) {
                return (role, try SecretFile.read(file, relativeTo: configuration.folder))
            } catch {
                throw ExitError(.badFile, "\(SecretFile.key(of: name)): \(error)")
            }
        }
        for (role, token) in tokens {
            let name = "\(role.rawValue)-token"
            if text(name) != nil || plugin.settings[SecretFile.key(of: name)] == nil {
                plugin.settings[name] = .string(token)
            }
        }
        if text("title") == nil, let title = RoomName.shown(configuration.name) {
            plugin.settings["title"] = .string(title)
        }
        if let port { plugin.settings["port"] = .integer(Int64(port)) }
        if case .integer(let chosen) = plugin.settings["port"], chosen > 0 {
            try Self.expectFree(Int(chosen), address)
        } else if let free = Self.freePort(at: address) {
            // Fix the port, so that a restarted room keeps its links.
            plugin.settings["port"] = .integer(Int64(free))
        }
        if control {
            var grants = plugin.grants ?? Grants()
            grants.control = true
            plugin.grants = grants
        }
        let call = SessionOutput(
            PluginOutput(
                plugin,
                selection: index.flatMap { configuration.outputs[$0].output.selection },
                isCall: true),
            origin: index.flatMap { configuration.outputs[$0].origin })
        if let index {
            configuration.outputs[index] = call
        } else {
            configuration.outputs.append(call)
        }
        configuration.clock = .real
        configuration.needsCall = true
    }

    /// The text to print when the room is open.
    ///
    /// - Parameter url: The URL of the page.
    func text(at url: String) -> String {
        var lines = tokens.map { role, token in
            let name = "\(role.rawValue)s:"
            return "  \(name)\(String(repeating: " ", count: 11 - name.count))\(url)#\(token)"
        }
        let others = otherPages(than: url)
        if !others.isEmpty {
            lines.append("  The page is also at \(others.joined(separator: " "))")
        }
        return (["The room is open. Ctrl-C closes it."] + lines.map(\.printable)).joined(
            separator: "\n")
    }

    /// The URLs of the page at other addresses of this machine, if the room listens on all
    /// addresses.
    private func otherPages(than url: String) -> [String] {
        guard PageAddress.isWildcard(address), !hasPublicURL,
            let port = url.split(separator: ":").last.flatMap({ Int($0.dropLast()) })
        else { return [] }
        return PageAddress(
            publicURL: nil, address: address, port: port, isSecure: url.hasPrefix("https:"),
            machine: NetworkAddress.ofMachine
        ).urls.filter { $0 != url }
    }

    // MARK: Ports

    private static func expectFree(_ port: Int, _ address: String) throws {
        guard case .failure(let code) = bound(port, address) else { return }
        switch code {
        case EADDRINUSE:
            throw ExitError(
                .outputFailed,
                "port \(port) of \(address) is in use by another program. Choose another one with "
                    + "--port, or leave it out to get a free one.")
        case EACCES:
            throw ExitError(
                .outputFailed, "port \(port) needs root. Choose a port from 1024 on.")
        // The room itself reports other faults.
        default: break
        }
    }

    /// A free port. Ports from 32768 on are the last choice: by default Linux assigns them to any
    /// connection, possibly before the room has opened the port.
    private static func freePort(at address: String) -> Int? {
        for port in (0..<20).map({ _ in Int.random(in: 20_000..<32_768) }) + [0] {
            if case .success(let free) = bound(port, address) { return free }
        }
        return nil
    }

    /// The outcome of binding a socket.
    private enum Bound {
        case success(Int)
        case failure(Int32)
    }

    /// Binds a socket to a port and closes it.
    private static func bound(_ port: Int, _ address: String) -> Bound {
        let port = UInt16(clamping: port).bigEndian
        var ip4 = sockaddr_in()
        if inet_pton(AF_INET, address, &ip4.sin_addr) == 1 {
            ip4.sin_family = sa_family_t(AF_INET)
            ip4.sin_port = port
            return bound(ip4, AF_INET, \.sin_port)
        }
        var ip6 = sockaddr_in6()
        guard inet_pton(AF_INET6, address, &ip6.sin6_addr) == 1 else {
            return .failure(EAFNOSUPPORT)
        }
        ip6.sin6_family = sa_family_t(AF_INET6)
        ip6.sin6_port = port
        return bound(ip6, AF_INET6, \.sin6_port)
    }

    private static func bound<Address>(
        _ wanted: Address, _ family: Int32, _ port: KeyPath<Address, in_port_t>
    ) -> Bound {
        var wanted = wanted
        let socket = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return .failure(errno) }
        defer { close(socket) }
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var length = socklen_t(MemoryLayout<Address>.size)
        let isBound = withUnsafeMutablePointer(to: &wanted) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, length) == 0 && getsockname(socket, pointer, &length) == 0
            }
        }
        guard isBound else { return .failure(errno) }
        return .success(Int(UInt16(bigEndian: wanted[keyPath: port])))
    }
}
