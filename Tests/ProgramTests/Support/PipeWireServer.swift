import Glibc
import SessionTestSupport
import TestSupport

/// PipeWire with a session manager and PulseAudio's protocol, without devices, in a folder of its own.
final class PipeWireServer {
    /// The folder of its sockets, and the home of its programs.
    private let folder: TemporaryFolder
    private var server: ChildProcess?

    /// Starts it.
    init() throws {
        folder = try TemporaryFolder()
        guard chmod(folder.path, 0o700) == 0 else { throw Failure("chmod \(folder.path)") }
        try start()
    }

    /// Where its programs and its users find it.
    var environment: [String: String?] {
        [
            "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "XDG_CONFIG_HOME": nil,
            "XDG_STATE_HOME": nil, "PIPEWIRE_REMOTE": nil, "PIPEWIRE_RUNTIME_DIR": nil,
            "PULSE_SERVER": nil, "PULSE_RUNTIME_PATH": nil, "DBUS_SESSION_BUS_ADDRESS": nil,
        ]
    }

    /// Starts it again.
    func start() throws {
        let script = """
            printf %s "$DBUS_SESSION_BUS_ADDRESS" > "$XDG_RUNTIME_DIR/bus-address"
            pipewire &
            until pw-cli info 0 > "$XDG_RUNTIME_DIR/info" 2>&1; do sleep 0.02; done
            wireplumber &
            pipewire-pulse &
            until pactl info > "$XDG_RUNTIME_DIR/info" 2>&1 \\
                && ! grep -q 'Default Sink: @' "$XDG_RUNTIME_DIR/info"; do sleep 0.05; done
            echo ready
            wait
            """
        // On a busy machine it was seen to hang at its start; a new one does not.
        var said = ""
        for _ in 0..<3 {
            let server = try ChildProcess(
                "dbus-run-session", ["--", "sh", "-c", script], environment: environment)
            self.server = server
            if server.waitForOutput(containing: "ready") { return }
            said = "\(server.wait(atMost: .zero))"
            self.server = nil
        }
        throw Failure("PipeWire does not start: \(said)")
    }

    /// Kills it, with all its programs.
    func kill() {
        _ = server?.wait(atMost: .zero)
        server = nil
    }

    /// The address of the session bus.
    var bus: String {
        (try? readFile(folder("bus-address"))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The id of a node.
    func id(ofNode name: String) throws -> String {
        let list = try start("pw-cli", ["ls", "Node"]).wait()
        for block in list.text.split(separator: "\tid ") where block.contains("\"\(name)\"") {
            return String(block.prefix { $0 != "," })
        }
        throw Failure("PipeWire has no node \(name): \(list.text)")
    }

    /// Runs a program that uses it.
    func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(program, arguments, environment: environment)
    }

    /// Runs a session.
    func greenroom(_ session: FileSession, _ arguments: String...) throws -> ChildProcess {
        try Greenroom.start(["run", session.file] + arguments, environment: environment)
    }

    /// Receives frames of a camera by GStreamer, as they are, into a file.
    func frames(_ count: Int, of camera: String, to path: String) throws -> ChildProcess {
        try start(
            "gst-launch-1.0",
            [
                "-q", "pipewiresrc", "target-object=\(camera)", "num-buffers=\(count)", "!",
                "video/x-raw,format=I420", "!", "filesink", "location=\"\(path)\"",
            ])
    }

    /// Waits until other programs can use a node.
    func waitForNode(_ name: String) throws {
        for _ in 0..<200 {
            let list = try start("pw-cli", ["ls", "Node"]).wait()
            if list.text.contains("node.name = \"\(name)\"") { return }
            usleep(50_000)
        }
        throw Failure("PipeWire has no node \(name)")
    }

    /// Waits until a node's ports are linked with another one's.
    func waitForLink(from output: String, to input: String) throws {
        var list = ""
        for _ in 0..<400 {
            list = try start("pw-link", ["-l"]).wait().text
            let blocks = list.replacing("\n  |", with: "|").split(separator: "\n")
            if blocks.contains(where: { $0.hasPrefix(output) && $0.contains("|-> \(input):") }) {
                return
            }
            usleep(50_000)
        }
        throw Failure("\(output) is not linked to \(input): \(list)")
    }
}
