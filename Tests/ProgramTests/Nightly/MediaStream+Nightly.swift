import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension MediaStreamTests {
    @Test func `a file of a web server plays`() throws {
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

    @Test func `an HLS stream plays`() throws {
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

    @Test func `a playlist on a server cannot open a file of this machine`()
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
        let session = try FileSession(
            "media: { url: \"http://127.0.0.1:\(port)/live.m3u8\", isolation: host }",
            duration: "3s", isolation: nil)
        let run = try session.run()
        #expect(try session.counters().allSatisfy { $0 == nil }, "\(run)")
        #expect(run.standardError.contains("reconnecting in"), "\(run)")
    }

    @Test(arguments: ["rtmp", "http", "srt", "udp"])
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

    @Test func `a stream that connects late keeps its aspect ratio`() throws {
        let film = try CounterFilm()
        _ = try film.make(
            "square.mp4", ["-vf", "crop=180:180"] + Self.options + ["-movflags", "faststart"])
        let port = try freePort(SOCK_STREAM)
        let session = try session("http://127.0.0.1:\(port)/square.mp4", duration: "12s")
        let host = try session.start("--json")
        defer { host.signal(SIGKILL) }
        // Before the stream arrives, the camera has the session's size.
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

    @Test func `an RTSP camera is recorded, also after its server was away`() throws {
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

    /// Expects that the film's frames come in order, most of them once.
    private func expectFilm(_ counters: [Int?], _ run: Finished) {
        let numbers = counters.compactMap { $0 }
        let steps = zip(numbers.dropFirst(), numbers).map { $0 - $1 }
        let repetitions = steps.filter { $0 < 0 }.count
        #expect(Set(numbers).count > CounterFilm.frames * 9 / 10, "\(numbers)\n\(run)")
        #expect(repetitions <= numbers.count / CounterFilm.frames + 1, "\(numbers)\n\(run)")
    }
}
