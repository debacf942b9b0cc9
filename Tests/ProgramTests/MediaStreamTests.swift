import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Plays streams of servers on the loopback, and reads the burnt-in numbers back. Servers have the machine's clock:
/// these tests expect order and content, and no times.
@Suite(.ownThreads) struct MediaStreamTests {
    /// A server that ends with the test.
    final class Server {
        let process: ChildProcess

        init(_ program: String, _ arguments: [String]) throws {
            process = try ChildProcess(program, arguments)
        }

        /// The first line that it prints.
        var firstLine: String {
            get throws {
                guard process.waitForOutput(containing: "\n") else {
                    throw Failure("\(process.wait(atMost: .zero))")
                }
                return process.outputSoFar.split(separator: "\n").first.map(String.init) ?? ""
            }
        }

        deinit {
            process.signal(SIGKILL)
            _ = process.wait()
        }
    }

    /// Serves a folder by HTTP.
    ///
    /// - Parameter port: Where; 0 for any.
    func serve(_ folder: String, at port: Int = 0) throws -> (server: Server, port: String) {
        let server = try Server(
            "python3",
            [
                "-c",
                """
                import functools, http.server
                handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="\(folder)")
                server = http.server.ThreadingHTTPServer(("127.0.0.1", \(port)), handler)
                print(server.server_port, flush=True)
                server.serve_forever()
                """,
            ])
        return (server, try server.firstLine)
    }

    func session(
        _ url: String, network: Bool = true, duration: String = "6s"
    ) throws -> FileSession {
        try FileSession(
            "media: { url: \"\(url)\", allow: { network: \(network) }, start-deadline: 20s }",
            maximum: "320x180@30", duration: duration, table: "[320x180@30]", isolation: nil)
    }

    static let options =
        "-c:v libx264 -preset ultrafast -g 15 -bf 0 -c:a aac".split(separator: " ").map(String.init)

    @Test func `without the grant nothing connects, and the log has the grant`() throws {
        let session = try session("rtsp://127.0.0.1:9/live", network: false, duration: "3s")
        let run = try session.run()
        #expect(run.standardError.contains("network"), "\(run)")
        #expect(run.standardError.contains("reconnecting in 0.500 s"), "\(run)")
        #expect(run.standardError.contains("reconnecting in 1.000 s"), "\(run)")
    }

    /// A stream that plays a film again and again.
    struct LiveStream {
        var url: String
        /// The servers end when nobody has them.
        var start: () throws -> [AnyObject]
    }

    func live(_ scheme: String, _ film: CounterFilm) throws -> LiveStream {
        let file = try film.make("once.mkv", Self.options)
        func play(_ target: [String]) throws -> Server {
            try Server(
                "ffmpeg",
                ["-v", "error", "-re", "-stream_loop", "-1", "-i", file, "-c", "copy", "-y"]
                    + target)
        }
        switch scheme {
        case "rtmp":
            let server = try RTMPServer()
            server.kill()
            let url = "rtmp://127.0.0.1:\(server.port)/live/a"
            return LiveStream(url: url) {
                try server.start()
                return [Killed { server.kill() }, try play(["-f", "flv", url])]
            }
        case "http":
            let port = try freePort(SOCK_STREAM)
            return LiveStream(url: "http://127.0.0.1:\(port)/live.m3u8") {
                let list = film.path("live.m3u8")
                let player = try play(["-f", "hls", "-hls_time", "1", list])
                return [player, try serve(film.folderPath, at: port).server]
            }
        case "srt":
            let url = "srt://127.0.0.1:\(try freePort(SOCK_DGRAM))"
            return LiveStream(url: url) { [try play(["-f", "mpegts", url + "?mode=listener"])] }
        default:
            let url = "udp://127.0.0.1:\(try freePort(SOCK_DGRAM))"
            return LiveStream(url: url) { [try play(["-f", "mpegts", url + "?pkt_size=1316"])] }
        }
    }

    private final class Killed {
        let kill: () -> Void
        init(_ kill: @escaping () -> Void) { self.kill = kill }
        deinit { kill() }
    }
}
