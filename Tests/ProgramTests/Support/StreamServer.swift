import Glibc
import SessionTestSupport
import TestSupport

/// nginx with its RTMP module on the loopback, which records each stream as an FLV file.
final class RTMPServer {
    let port: Int
    private let folder: TemporaryFolder
    private var process: ChildProcess?

    init() throws {
        folder = try TemporaryFolder()
        port = try freePort(SOCK_STREAM)
        try folder.write(
            "nginx.conf",
            """
            load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;
            daemon off; master_process off; pid "\(folder("pid"))"; error_log stderr warn;
            events { worker_connections 64; }
            rtmp { server { listen 127.0.0.1:\(port); ping 5s; application live {
                live on; record all; record_path "\(folder.path)"; record_unique on;
            } } }

            """)
        try start()
    }

    /// Starts the server, and returns when it listens.
    func start() throws {
        let started = try ChildProcess("nginx", ["-c", folder("nginx.conf"), "-e", folder("log")])
        process = started
        guard waitUntil({ isListening(port) }) else {
            throw Failure("nginx does not listen: \(started.errorsSoFar)")
        }
    }

    /// Kills the server; its recordings stay.
    func kill() {
        process?.signal(SIGKILL)
        _ = process?.wait()
        process = nil
    }

    /// The recordings, the oldest one first.
    func recordings() throws -> [String] {
        let names = try ChildProcess.run("sh", ["-c", "ls -tr '\(folder.path)' | grep flv$"])
        return names.text.split(separator: "\n").map { folder(String($0)) }
    }
}

/// A port of the loopback that nobody uses.
func freePort(_ type: __socket_type) throws -> Int {
    let socket = socket(AF_INET, Int32(type.rawValue), 0)
    defer { close(socket) }
    var address = loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
        }
    }
    guard isBound else { throw Failure("no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
}

private func loopback(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    return address
}

/// Whether a server accepts connections at a port of the loopback.
func isListening(_ port: Int) -> Bool {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = loopback(port: port)
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}
