import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Plays streams of servers on the loopback, and reads the burnt-in numbers back. Servers have the machine's clock:
/// these tests expect order and content, and no times.
@Suite(.ownThreads) struct MediaStreamTests {
    /// A server that ends with the test.
    private final class Server {
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
    private func serve(_ folder: String, at port: Int = 0) throws -> (server: Server, port: String)
    {
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

    private func session(
        _ url: String, network: Bool = true, duration: String = "6s"
    ) throws -> TestSession {
        try TestSession(
            "media: { url: \"\(url)\", allow: { network: \(network) }, start-deadline: 20s }",
            maximum: "320x180@30", duration: duration, table: "[320x180@30]", isolation: nil)
    }

    /// Expects that the film's frames come in order, most of them once.
    private func expectFilm(_ counters: [Int?], _ run: Finished) {
        let numbers = counters.compactMap { $0 }
        let steps = zip(numbers.dropFirst(), numbers).map { $0 - $1 }
        let repetitions = steps.filter { $0 < 0 }.count
        #expect(Set(numbers).count > CounterFilm.frames * 9 / 10, "\(numbers)\n\(run)")
        #expect(repetitions <= numbers.count / CounterFilm.frames + 1, "\(numbers)\n\(run)")
    }

    private static let options =
        "-c:v libx264 -preset ultrafast -g 15 -bf 0 -c:a aac".split(separator: " ").map(String.init)

    @Test(.nightly) func `a file of a web server plays`() throws {
        let film = try CounterFilm()
        let file = try film.make("film.mp4", Self.options + ["-movflags", "faststart"])
        let (server, port) = try serve(film.folderPath)
        defer { withExtendedLifetime(server) {} }
        let session = try session("http://ana:secret@127.0.0.1:\(port)/film.mp4?token=secret")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(file) \(run)")
        expectFilm(try session.counters(), run)
        #expect(try !session.beeps().isEmpty)
        #expect(
            run.standardError.contains(
                "http://127.0.0.1:\(port): connected; h264 320x180"),
            "\(run)")
        #expect(!run.standardError.contains("secret") && !run.text.contains("secret"), "\(run)")
    }

    @Test(.nightly) func `an HLS stream plays`() throws {
        let film = try CounterFilm()
        _ = try film.make(
            "live.m3u8", Self.options + ["-f", "hls", "-hls_time", "1", "-hls_list_size", "0"])
        let (server, port) = try serve(film.folderPath)
        defer { withExtendedLifetime(server) {} }
        let session = try session("http://127.0.0.1:\(port)/live.m3u8")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        expectFilm(try session.counters(), run)
    }

    @Test(.nightly) func `a list of a server that names a file of the machine opens nothing`()
        throws
    {
        let film = try CounterFilm()
        let secret = try film.make("secret.ts", Self.options)
        _ = try film.write(
            "live.m3u8",
            "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nfile://\(secret)\n#EXT-X-ENDLIST\n")
        let (server, port) = try serve(film.folderPath)
        defer { withExtendedLifetime(server) {} }
        // The host's process may read the file.
        let session = try TestSession(
            "media: { url: \"http://127.0.0.1:\(port)/live.m3u8\", isolation: host }",
            duration: "3s", isolation: nil)
        let run = try session.run()
        #expect(try session.counters().allSatisfy { $0 == nil }, "\(run)")
        #expect(run.standardError.contains("reconnecting in"), "\(run)")
    }

    @Test func `without the grant nothing connects, and the log has the grant`() throws {
        let session = try session("rtsp://127.0.0.1:9/live", network: false, duration: "3s")
        let run = try session.run()
        #expect(run.standardError.contains("network"), "\(run)")
        #expect(run.standardError.contains("reconnecting in 0.500 s"), "\(run)")
        #expect(run.standardError.contains("reconnecting in 1.000 s"), "\(run)")
    }

    /// A stream that plays a film again and again.
    private struct LiveStream {
        var url: String
        /// The servers end when nobody has them.
        var start: () throws -> [AnyObject]
    }

    private func live(_ scheme: String, _ film: CounterFilm) throws -> LiveStream {
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

    @Test(.nightly, arguments: ["rtmp", "http", "srt", "udp"])
    func `a stream that is lost plays again`(scheme: String) throws {
        let film = try CounterFilm()
        defer { withExtendedLifetime(film) {} }
        let stream = try live(scheme, film)
        let test = try session(stream.url, duration: "1h")
        let host = try test.start("--json")
        defer {
            host.signal(SIGKILL)
            withExtendedLifetime(test) {}
        }
        func came(_ text: String, _ times: Int) -> Bool {
            host.waitForOutput(containing: text, times: times)
        }
        for time in 1...2 {
            var servers = try stream.start()
            #expect(came(": connected; h264 320x180", time), "\(host.outputSoFar)")
            let losses = host.outputSoFar.components(separatedBy: "reconnecting in").count
            servers.removeAll()
            // UDP has no connection: it counts as lost when nothing has come for a while.
            if time == 1 { #expect(came("reconnecting in", losses), "\(host.outputSoFar)") }
        }
    }

    @Test(.nightly) func `a stream that connects late keeps its shape`() throws {
        let film = try CounterFilm()
        _ = try film.make(
            "square.mp4", ["-vf", "crop=180:180"] + Self.options + ["-movflags", "faststart"])
        let port = try freePort(SOCK_STREAM)
        let session = try session("http://127.0.0.1:\(port)/square.mp4", duration: "12s")
        let host = try session.start("--json")
        defer { host.signal(SIGKILL) }
        // Without a stream the camera has the session's size.
        #expect(
            host.waitForOutput(containing: "\"started\""),
            "\(host.outputSoFar)")
        let (server, _) = try serve(film.folderPath, at: port)
        let run = host.wait()
        withExtendedLifetime(server) {}
        #expect(run.exit == .code(0), "\(run)")
        let picture = try session.picture("camera")
        let frame = try picture.frame(picture.frameCount - 1)
        let columns = (0..<320).map { column in
            (0..<180).map { frame.y[$0 * 320 + column] }.max() ?? 0
        }
        #expect(columns[..<68].allSatisfy { $0 <= 18 } && columns[252...].allSatisfy { $0 <= 18 })
        #expect(columns[72..<248].contains { $0 > 60 }, "\(run)")
    }

    @Test(.nightly) func `an RTSP camera is recorded, also after its server was away`() throws {
        let film = try CounterFilm()
        let file = try film.make(
            "live.mkv", ["-c", "copy"],
            inputs: ["-stream_loop", "29", "-i", try film.make("once.mkv", Self.options + ["-an"])])
        let script = "\(Checkout.root)/Tests/MediaServers/rtsp.py"
        var server: Server? = try Server(script, [file])
        let port = try server?.firstLine ?? ""
        let session = try session("rtsp://127.0.0.1:\(port)/live", duration: "1h")
        let host = try session.start("--json")
        defer { host.signal(SIGKILL) }
        func came(_ text: String, _ times: Int) -> Bool {
            host.waitForOutput(containing: text, times: times)
        }
        #expect(came(": connected; h264 320x180", 1), "\(host.outputSoFar)")
        server = nil
        #expect(came("reconnecting in", 1), "\(host.outputSoFar)")
        server = try Server(script, [file, port])
        #expect(came(": connected; h264 320x180", 2), "\(host.outputSoFar)")
        host.signal(SIGTERM)
        let run = host.wait()
        #expect(run.exit == .code(130), "\(run)")
        withExtendedLifetime(server) {}
    }
}
