import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension StreamOutputTests {
    @Test func `an isolated stream writes HLS into the folder that it is granted`() throws {
        let folder = try TemporaryFolder()
        let run = try session(
            "hls: '\(folder("live.m3u8"))'",
            "isolation: process, allow: { write: ['\(folder.path)'] }"
        ).run()
        #expect(run.exit == .code(0) && !run.standardError.contains("denied: "), "\(run)")
        try expectTogether(folder("live.m3u8"), seconds: 3, frames: 120...120, run)
    }

    @Test(arguments: ["", "isolation: process, allow: { network: true }"])
    func `an RTMP server gets every frame, and the log no credentials`(more: String) throws {
        let server = try RTMPServer()
        let session = try session(
            "url: 'rtmp://ana:\(Self.secret)@127.0.0.1:\(server.port)/live/\(Self.secret)'", more)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("live: rtmp://127.0.0.1:\(server.port)\n"), "\(run)")
        server.kill()
        try expectTogether(
            try #require(try server.recordings().first), seconds: 3, frames: 119...120, run)
        try expectNoSecret(session, run)
    }

    @Test func `an RTSP server gets audio and video`() throws {
        let (folder, port) = (try TemporaryFolder(), try freePort(SOCK_STREAM))
        let server = try ChildProcess(
            "ffmpeg",
            [
                "-v", "error", "-rtsp_flags", "listen", "-i",
                "rtsp://127.0.0.1:\(port)/\(Self.secret)", "-c", "copy", folder("a.mkv"),
            ])
        // The output connects again until the server listens.
        let session = try session(
            "url: 'rtsp://127.0.0.1:\(port)/\(Self.secret)'", duration: "5s", clock: nil)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(server.wait().exit == .code(0))
        try expectTogether(folder("a.mkv"), seconds: 2, frames: 60...150, run)
        try expectNoSecret(session, run)
    }

    @Test func `a listener of SRT gets audio and video`() throws {
        let (folder, port) = (try TemporaryFolder(), try freePort(SOCK_DGRAM))
        let server = try ChildProcess(
            "ffmpeg",
            [
                "-v", "error", "-i", "srt://127.0.0.1:\(port)?mode=listener", "-c", "copy",
                folder("a.ts"),
            ])
        let session = try session(
            "url: 'srt://127.0.0.1:\(port)?streamid=\(Self.secret)'", duration: "5s", clock: nil)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        _ = server.wait()
        try expectTogether(folder("a.ts"), seconds: 2, frames: 60...150, run)
        try expectNoSecret(session, run)
    }

    @Test func `MPEG-TS goes to a UDP port`() throws {
        let (folder, port) = (try TemporaryFolder(), try freePort(SOCK_DGRAM))
        let receiver = """
            import socket, sys
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
            s.bind(("127.0.0.1", \(port)))
            print("bound", file=sys.stderr, flush=True)
            s.settimeout(60)
            with open(sys.argv[1], "wb") as f:
                while True:
                    f.write(s.recv(2000))
                    s.settimeout(3)
                    f.flush()
            """
        let server = try ChildProcess("python3", ["-c", receiver, folder("a.ts")])
        #expect(server.waitForErrors(containing: "bound"))
        let session = try session(
            "url: 'udp://127.0.0.1:\(port)'", duration: "3s", clock: nil)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        _ = server.wait()
        try expectTogether(folder("a.ts"), seconds: 2, frames: 85...92, run)
    }

    @Test func `a stream continues when its server is back`() throws {
        let server = try RTMPServer()
        let session = try session(
            "url: 'rtmp://127.0.0.1:\(server.port)/live/a', key-interval: 1", duration: "60s",
            clock: nil)
        let child = try session.start()
        let name = "rtmp://127.0.0.1:\(server.port)"
        #expect(child.waitForErrors(containing: "live: \(name)\n"))
        server.kill()
        #expect(
            child.waitForErrors(containing: "; reconnecting in 0.5 s"))
        try server.start()
        #expect(
            waitUntil {
                child.errorsSoFar.components(separatedBy: "live: \(name)\n").count == 3
            }, "\(child.errorsSoFar)")
        child.signal(SIGINT)
        let run = child.wait()
        #expect(run.standardError.contains(/reconnections [1-9]/), "\(run)")
        server.kill()
        let last = try #require(try server.recordings().last)
        #expect(try FFProbe(last).streams.map(\.codecName).sorted() == ["aac", "h264"])
    }

    @Test func `a slow network lowers the bit rate, and then the source's size`() throws {
        let server = try RTMPServer()
        let port = try freePort(SOCK_STREAM)
        // A relay that takes 20 kB/s, with a small buffer.
        let relay = """
            import socket, sys, threading, time
            s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind(("127.0.0.1", \(port))); s.listen()
            print("bound", file=sys.stderr, flush=True)
            a, _ = s.accept(); b = socket.create_connection(("127.0.0.1", \(server.port)))
            def back():
                while (d := b.recv(4096)): a.sendall(d)
            threading.Thread(target=back, daemon=True).start()
            while (d := a.recv(2000)):
                b.sendall(d); time.sleep(len(d) / 20000)
            """
        let slow = try ChildProcess("python3", ["-c", relay])
        #expect(slow.waitForErrors(containing: "bound"))
        let noise = """
            { plugin: Command, settings: { command: [ffmpeg, -v, error, -f, lavfi, -i, \
            "testsrc2=size=640x360:rate=30,noise=alls=60:allf=t", -pix_fmt, yuv420p, -f, \
            yuv4mpegpipe, "-"] } }
            """
        let session = try session(
            "url: 'rtmp://127.0.0.1:\(port)/live/a', video-bit-rate: 2000", duration: "60s",
            clock: nil, camera: noise)
        let child = try session.start()
        #expect(
            child.waitForErrors(containing: "the video has 1000 kbit/s now"),
            "\(child.errorsSoFar)")
        child.signal(SIGINT)
        let run = child.wait()
        let log = run.standardError
        #expect(log.contains("the video has 1400 kbit/s now"), "\(run)")
        let report = String(
            decoding: try readFile(session.recording + "/session.json"), as: UTF8.self)
        #expect(report.contains("the network is slower than the stream"), "\(run)")
        slow.signal(SIGKILL)
    }

    @Test func `the bit rate changes while the session runs`() throws {
        let folder = try TemporaryFolder()
        let noise = """
            { plugin: Command, settings: { command: [ffmpeg, -v, error, -f, lavfi, -i, \
            "testsrc2=size=640x360:rate=30,noise=alls=60:allf=t", -pix_fmt, yuv420p, -f, \
            yuv4mpegpipe, "-"] } }
            """
        let session = try session(
            "hls: '\(folder("a.m3u8"))', key-interval: 1, video-bit-rate: 2000, audio-bit-rate: 32",
            camera: noise, timeline: ["at: 2s, set: 'outputs[0].settings.video-bit-rate=400'"])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let sizes = try (0..<4).map { try readFile(folder("a-\($0).ts")).count }
        #expect(sizes[1] > 3 * sizes[3], "\(sizes)\n\(run)")
    }

    @Test(
        arguments: [
            ("", "neither url nor hls"), ("url: 'rtmp://h/a', hls: a.m3u8", "both url and hls"),
            ("hls: a.ts", "hls: end the name with .m3u8"),
            ("url: 'http://ana:geheim@h/geheim'", "has none of the schemes"),
            ("url: 'rtmp://127.0.0.1/a', video: share", "the session has no share for this stream"),
        ])
    func `a wrong setting is an error with its fix`(settings: String, text: String) throws {
        let run = try session(settings, "on-failure: end").run()
        #expect(run.exit != .code(0), "\(run)")
        #expect(run.standardError.contains(text), "\(run)")
        #expect(!run.standardError.contains(Self.secret), "\(run)")
    }

    private func expectNoSecret(_ session: FileSession, _ run: Finished) throws {
        let report = String(
            decoding: try readFile(session.recording + "/session.json"), as: UTF8.self)
        for text in [run.standardError, run.text, report] {
            #expect(!text.contains(Self.secret))
        }
    }

    private static let secret = "geheim"
}
