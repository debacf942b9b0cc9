import CLinux
import Glibc
import GreenroomABI
import GreenroomMedia
import GreenroomModel
import TestSupport
import Testing

@testable import GreenroomLifecycle

/// Tests of the connections that the host opens for plugins.
@Suite struct ConnectionTests {
    private static func sockets(_ variables: [String: String]) -> DesktopSockets {
        DesktopSockets { variables[$0] }
    }

    // MARK: Where programs listen

    @Test(arguments: [
        (":0", "/tmp/.X11-unix/X0 0.0"), (":12.1", "/tmp/.X11-unix/X12 12.1"),
        ("unix:3", "/tmp/.X11-unix/X3 3.0"), ("/run/x/socket:4", "/run/x/socket 4.0"),
        ("", "DISPLAY is not set; set it to the display's name, such as :0"),
        ("host:0", "DISPLAY names a display of another machine; run greenroom there"),
        ("zero", "DISPLAY: not a display; set it to the display's name, such as :0"),
        (":1234567", "DISPLAY: not a display; set it to the display's name, such as :0"),
    ])
    func `DISPLAY is read as a socket, a number and a screen, or refused with the fix`(
        text: String, expected: String
    ) {
        do throws(ConnectionError) {
            let display = try Self.sockets(["DISPLAY": text]).display()
            #expect("\(display.path) \(display.number).\(display.screen)" == expected)
        } catch {
            #expect(error.description == expected)
        }
    }

    private typealias Place = (variables: [String: String], name: String, path: String?)

    private static let places: [Place] = [
        (["XDG_RUNTIME_DIR": "/r"], "pipewire", "/r/pipewire-0"),
        (["XDG_RUNTIME_DIR": "/r", "PIPEWIRE_RUNTIME_DIR": "/p"], "pipewire", "/p/pipewire-0"),
        (["PIPEWIRE_REMOTE": "/p/socket"], "pipewire", "/p/socket"),
        (["XDG_RUNTIME_DIR": "/r", "WAYLAND_DISPLAY": "wayland-1"], "wayland", "/r/wayland-1"),
        (["XDG_RUNTIME_DIR": "/r"], "session-bus", "/r/bus"),
        (
            ["DBUS_SESSION_BUS_ADDRESS": "tcp:port=1;unix:guid=1,path=/tmp/a%20b"], "session-bus",
            "/tmp/a b"
        ),
        (["DBUS_SESSION_BUS_ADDRESS": "unix:path=/tmp/%zz"], "session-bus", nil),
        (["DBUS_SESSION_BUS_ADDRESS": "unix:abstract=/tmp/x"], "session-bus", nil),
        ([:], "pipewire", nil), (["XDG_RUNTIME_DIR": "/r"], "wayland", nil),
    ]

    @Test func `environment variables set the sockets of desktop programs`() throws {
        for place in Self.places {
            let program = try #require(DesktopSockets.Program(rawValue: place.name))
            let path = try? Self.sockets(place.variables).path(of: program)
            #expect(path == place.path, "\(place)")
        }
    }

    // MARK: Keys

    private static func entry(
        _ family: UInt16, _ address: String, _ display: String, _ name: String, _ key: [UInt8]
    ) -> [UInt8] {
        func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
        func text(_ bytes: [UInt8]) -> [UInt8] { word(bytes.count) + bytes }
        return word(Int(family)) + text(Array(address.utf8)) + text(Array(display.utf8))
            + text(Array(name.utf8)) + text(key)
    }

    @Test func `a display's key is read from the entry of this machine and number`() {
        let cookie = "MIT-MAGIC-COOKIE-1"
        let file =
            Self.entry(256, "other", "1", cookie, [1]) + Self.entry(256, "here", "2", cookie, [2])
            + Self.entry(256, "here", "1", "XDM-AUTHORIZATION-1", [3])
            + Self.entry(256, "here", "1", cookie, [4]) + Self.entry(65535, "", "", cookie, [5])
        func key(_ display: UInt32, _ file: [UInt8], host: String = "here") -> [UInt8]? {
            DisplayKey.find(in: file, display: display, host: host)
        }
        #expect(key(1, file) == [4])
        #expect(key(2, file) == [2])
        #expect(key(3, file) == [5])
        #expect(key(1, file, host: "nowhere") == [5])
        // A file that is cut anywhere has no key, or a whole one.
        for count in 0..<file.count {
            #expect([nil, [4], [5]].contains(key(1, Array(file.prefix(count)))))
        }
    }

    // MARK: The broker

    /// A socket at which something listens.
    private static func listen(_ path: String) throws -> Int32 {
        let socket = greenroom_listen(path, greenroom_bytes, 64)
        guard socket >= 0 else { throw Failure("listen: \(socket)") }
        return socket
    }

    private static func broker(
        _ grants: Grants, _ variables: [String: String] = [:], sandbox: SandboxMode = .on
    ) -> ConnectionBroker {
        let sockets = sockets(variables)
        return ConnectionBroker(
            ConnectionGrants(IsolationPlan(sandbox: sandbox, grants: grants), sockets: sockets),
            sockets: sockets)
    }

    /// The status of an attempt to connect.
    private static func status(_ broker: ConnectionBroker, _ name: String) -> Status {
        do throws(ConnectionError) {
            close(try broker.open(name).descriptor)
            return .ok
        } catch {
            return error.code
        }
    }

    @Test func `only granted connections are opened`() throws {
        let folder = try TemporaryFolder()
        let (one, two) = (folder("one"), folder("two"))
        let listeners = [try Self.listen(one), try Self.listen(two)]
        defer { for listener in listeners { close(listener) } }
        let variables = [
            "DISPLAY": "\(one):7.1", "PIPEWIRE_REMOTE": two, "XDG_RUNTIME_DIR": folder.path,
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(two)",
        ]
        let names = ["x11", "wayland", "pipewire", "session-bus", one, two, "/nowhere", "dance"]
        let table: [(grants: Grants, connected: Set<String>)] = [
            (Grants(), []),
            (Grants(network: true), []),
            (Grants(display: true), ["x11", one]),
            (Grants(pipewire: true), ["pipewire", two]),
            (Grants(connect: [one]), ["x11", one]),
            (Grants(connect: ["/nowhere", two]), ["pipewire", "session-bus", two]),
        ]
        for (grants, connected) in table {
            let broker = Self.broker(grants, variables)
            #expect(
                Set(names.filter { Self.status(broker, $0) == .ok }) == connected, "\(grants)")
        }
        let none = Self.broker(Grants(), variables)
        #expect(Self.status(none, "x11") == .unsupported)
        #expect(Self.status(none, "dance") == .badArgument)
        #expect(Self.status(none, "wayland") == .unsupported)
        let missing = Self.broker(Grants(connect: ["/nowhere"]))
        #expect(Self.status(missing, "/nowhere") == .unavailable)
        // Without a sandbox it could connect itself.
        #expect(Self.status(Self.broker(Grants(), variables, sandbox: .off), "x11") == .ok)
        let connection = try Self.broker(Grants(display: true), variables).open("x11")
        #expect(connection.display == 7 && connection.screen == 1 && connection.key_length == 0)
        close(connection.descriptor)
    }

    @Test func `a link that replaces a granted socket is refused`() throws {
        let folder = try TemporaryFolder()
        let (granted, secret) = (folder("granted"), folder("secret"))
        let first = try Self.listen(granted)
        let broker = Self.broker(Grants(connect: [granted]))
        #expect(Self.status(broker, granted) == .ok)
        close(first)
        let listener = try Self.listen(secret)
        defer { close(listener) }
        unlink(granted)
        #expect(symlink(secret, granted) == 0)
        #expect(Self.status(broker, granted) == .unsupported)
        // The same link, if it was there when the session file was read.
        #expect(Self.status(Self.broker(Grants(connect: [granted])), granted) == .ok)
        unlink(granted)
        // A hard link has no other path to compare.
        #expect(link(secret, granted) == 0)
        #expect(Self.status(broker, granted) == .unsupported)
        #expect(ConnectionGrants.refusal(of: granted)?.contains("hard link") == true)
        #expect(Self.status(Self.broker(Grants(), sandbox: .off), granted) == .ok)
        unlink(granted)
        #expect(ConnectionGrants.refusal(of: secret) == nil)
        #expect(open(granted, O_CREAT | O_CLOEXEC, 0o600) >= 0)
        #expect(Self.status(broker, granted) == .unavailable)
    }

    @Test func `memory is sealed, limited and only for connections`() throws {
        func status(_ broker: ConnectionBroker, _ byteCount: UInt64) -> Status {
            do throws(ConnectionError) {
                close(try broker.makeMemory(byteCount: byteCount))
                return .ok
            } catch {
                return error.code
            }
        }
        #expect(status(Self.broker(Grants(network: true)), 4096) == .unsupported)
        let broker = Self.broker(Grants(connect: ["/run/x"]))
        let memory = try broker.makeMemory(byteCount: 4096)
        #expect(greenroom_is_sealed(memory) != 0)
        #expect(ftruncate(memory, 8192) != 0 && ftruncate(memory, 0) != 0)
        close(memory)
        #expect(status(broker, 0) == .badArgument)
        #expect(status(broker, .max) == .noBuffer)
        let rest = UInt64(GR_MAX_CONNECTION_MEMORY) - 4096
        #expect(status(broker, rest + 1) == .noBuffer)
        #expect(status(broker, rest) == .ok)
        #expect(status(broker, 1) == .noBuffer)
    }
}
