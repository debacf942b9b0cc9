import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests that a room publishes to a media server and fetches from one. The server is another room, which
/// speaks WHIP and WHEP, too.
@Suite(.ownThreads(.heavy)) struct MediaServerTests {
    private let folder: TemporaryFolder
    private static let viewer = "viewer-token-0123456789"
    private static let guest = "guest-token-0123456789"
    private static let tone = "microphone: { plugin: Tone, settings: { frequency: 1000 } }"

    init() throws { folder = try TemporaryFolder() }

    /// Starts a session with a room.
    private func start(
        _ name: String, camera: String, microphone: String = MediaServerTests.tone,
        _ settings: String
    ) throws -> ChildProcess {
        let file = try folder.write(
            "\(name).yaml",
            """
            session: { name: \(name), maximum: 320x180@15, callback-deadline: 20s }
            camera: { plugin: ColorBars, settings: { \(camera) } }
            \(microphone)
            call:
              plugin: WebRoom
              isolation: process
              allow: { network: true }
              memory-limit: 1 GB
              settings: { \(settings) }
            outputs: [{ record: { folder: \(name), overwrite: true } }]
            """)
        return try Greenroom.start(["run", file])
    }

    /// A value that the room of a session reports.
    private func value(_ value: String, of session: String) throws -> Double? {
        try Report(folder("\(session)/session.json")).outputPlugins?.lazy
            .compactMap { $0.values[value] }.first
    }

    private func server(
        port: Int, microphone: String = MediaServerTests.tone
    ) throws -> ChildProcess {
        try start(
            "server", camera: "pattern: bars, ball: false", microphone: microphone,
            "port: \(port), viewer-token: \(Self.viewer), guest-token: \(Self.guest)")
    }

    private func expect(_ run: ChildProcess, _ text: String) throws {
        guard run.waitForErrors(containing: text) else {
            throw Failure("no \"\(text)\":\n\(run.errorsSoFar)")
        }
    }

    /// A port that nobody has.
    private func freePort() throws -> Int {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Int in
                guard bind(socket, pointer, length) == 0, getsockname(socket, pointer, &length) == 0
                else { return 0 }
                return Int(UInt16(bigEndian: address.pointee.sin_port))
            }
        }
        guard port > 0 else { throw Failure("no port is free") }
        return port
    }

    private func redirector() throws -> (process: ChildProcess, port: String) {
        let process = try ChildProcess(
            "python3", [Checkout.root + "/Tests/WebRoom/server.py"])
        // The whole line: the word may come before the number.
        guard process.waitForOutput(containing: "\n"),
            let port = process.outputSoFar.firstMatch(of: /port ([0-9]+)\n/)?.1
        else { throw Failure("\(process.wait(atMost: .zero))") }
        return (process, String(port))
    }

    @Test
    func `a session is published through a redirect, fetched, and published again after a loss`()
        throws
    {
        let port = try freePort()
        let (redirector, way) = try redirector()
        defer { kill(redirector.id, SIGKILL) }
        var server = try server(port: port)
        try expect(server, "call: live")
        let whip = "http://127.0.0.1:\(port)/whip?name=Relay"
        let publisher = try start(
            "publisher", camera: "pattern: grey, ball: false",
            "publish: \"http://127.0.0.1:\(way)/redirect/\(whip)\", publish-token: \(Self.guest), server-codec: h264"
        )
        let fetcher = try start(
            "fetcher", camera: "pattern: grey, ball: false",
            "fetch: \"http://127.0.0.1:\(port)/whep\", fetch-token: \(Self.viewer), fetch-name: Hall"
        )
        try expect(publisher, "the session is sent there")
        try expect(server, "relay-camera: opened")
        try expect(server, "relay-microphone: opened")
        try expect(fetcher, "Hall joined")
        try expect(fetcher, "hall-camera: opened")
        try expect(fetcher, "hall-microphone: opened")

        // The fetcher sees its bars.
        #expect(
            waits(for: "fetcher/hall-camera.y4m") { ($0.max() ?? 0) - ($0.min() ?? 255) > 100 })
        // A server that is killed comes back at the same place.
        kill(server.id, SIGKILL)
        _ = server.wait()
        try expect(publisher, "the connection is lost")
        server = try self.server(port: port)
        try expect(server, "relay-camera: opened")
        // Grey stripes are brighter than the black before them.
        #expect(waits(for: "server/relay-camera.y4m") { $0.allSatisfy { $0 >= 120 } })

        // The end of a session is the end of its connection.
        publisher.signal(SIGINT)
        let published = publisher.wait()
        #expect(published.exit == .code(130), "\(published)")
        try expect(server, "Relay left")
        fetcher.signal(SIGINT)
        let fetched = fetcher.wait()
        #expect(fetched.exit == .code(130), "\(fetched)")
        server.signal(SIGINT)
        let served = server.wait()
        #expect(served.exit == .code(130), "\(served)")

        for run in [published, fetched] {
            #expect(!run.standardError.contains(Self.guest), "no secret is said: \(run)")
            #expect(!run.standardError.contains("/wh"), "a path may be a secret: \(run)")
        }
        // The report says how long there was a connection, not whether there is one at the end.
        #expect(try value("published-seconds", of: "publisher") ?? 0 >= 1)
        #expect(try value("fetched-seconds", of: "fetcher") ?? 0 >= 1)
        // Grey arrived at the server, and its bars at who fetches.
        let relay = try Y4MRecording(folder("server/relay-camera.y4m"))
        let hall = try Y4MRecording(folder("fetcher/hall-camera.y4m"))
        try #require(relay.frameCount > 10 && hall.frameCount > 10)
        let (grey, bars) = (try lumas(of: relay), try lumas(of: hall))
        #expect(grey.allSatisfy { (120...235).contains($0) }, "\(grey)")
        #expect((grey.max() ?? 255) - (grey.min() ?? 0) < 20, "\(grey)")
        #expect((bars.max() ?? 0) - (bars.min() ?? 255) > 100, "\(bars)")
    }

    @Test func `a room does not send media back to the server that it fetched them from`()
        throws
    {
        let port = try freePort()
        let (own, other) = (1000.0, 500.0)
        let server = try server(
            port: port, microphone: "microphone: { plugin: Tone, settings: { frequency: 500 } }")
        try expect(server, "call: live")
        let relay = try start(
            "relay", camera: "ball: false",
            "publish: \"http://127.0.0.1:\(port)/whip?name=Relay\", publish-token: \(Self.guest), "
                + "fetch: \"http://localhost:\(port)/whep\", fetch-token: \(Self.viewer), "
                + "fetch-name: Hall")
        // Each hears the other for 2 s, which are many round trips.
        func hears(_ frequency: Double, in file: String) -> Bool {
            (try? tenths(of: frequency, in: file)) ?? 0 >= 20
        }
        #expect(waitUntil { hears(other, in: "relay/hall-microphone.wav") })
        #expect(waitUntil { hears(own, in: "server/relay-microphone.wav") })
        for run in [relay, server] {
            run.signal(SIGINT)
            let finished = run.wait()
            #expect(finished.exit == .code(130), "\(finished)")
        }
        #expect(try tenths(of: own, in: "relay/hall-microphone.wav") == 0)
        #expect(try tenths(of: other, in: "server/relay-microphone.wav") == 0)
    }

    /// The number of tenths of a second of a recording that have a tone.
    private func tenths(of frequency: Double, in file: String) throws -> Int {
        let audio = try WAVRecording(folder(file))
        let samples = audio.channels.first ?? []
        return stride(from: 0, to: samples.count - 4800, by: 4800).count { start in
            let part = samples[start..<(start + 4800)]
            return Tone.amplitude(of: frequency, in: part, rate: audio.sampleRate) > 500
        }
    }

    /// Waits for more than 20 frames of a recording, with certain lumas.
    private func waits(for file: String, until areSeen: ([Int]) -> Bool) -> Bool {
        waitUntil {
            guard let recording = try? Y4MRecording(folder(file)), recording.frameCount > 20,
                let seen = try? lumas(of: recording)
            else { return false }
            return areSeen(seen)
        }
    }

    /// The luma at eight places of a row of a late frame.
    private func lumas(of recording: Y4MRecording) throws -> [Int] {
        let frame = try recording.frame(recording.frameCount * 2 / 3)
        let (width, height) = (recording.width, recording.height)
        return (0..<8).map { frame[(2 * $0 + 1) * width / 16, height * 3 / 4].y }
    }

    @Test(
        arguments: [
            ("401", "unknown token (401). Check publish-token."),
            ("404", "not found (404)"),
            ("406", "offer not accepted (406): not now"),
            ("503", "not available now (503): not now"),
            ("no-video", "the answer has no video"), ("page", "the answer is not usable"),
        ])
    func `a server that refuses is reported clearly, and the session continues`(
        path: String, text: String
    ) throws {
        let (server, port) = try redirector()
        defer { kill(server.id, SIGKILL) }
        let run = try start(
            "refused", camera: "ball: false",
            "publish: \"http://127.0.0.1:\(port)/\(path)\", publish-token: word")
        try expect(run, "http://127.0.0.1:\(port): \(text)")
        try expect(run, "retrying in 1 s")
        #expect(server.waitForOutput(containing: "POST /\(path) word True"))
        if path == "no-video" {
            #expect(
                server.waitForOutput(containing: "DELETE /ended?id=7 word"))
        }
        run.signal(SIGINT)
        let finished = run.wait()
        #expect(finished.exit == .code(130), "\(finished)")
    }

    @Test(
        arguments: [
            ("401", "unknown token (401). Check fetch-token."),
            ("404", "not found (404). Check fetch."),
            ("406", "offer not accepted (406): not now"),
            ("503", "not available now (503): not now"),
            ("no-video", "the answer has no video: the server does not send this codec"),
            ("audio", "the answer has no video: Hall has only audio"),
        ])
    func `a server that has nothing to fetch is reported clearly`(
        path: String, text: String
    ) throws {
        let (server, port) = try redirector()
        defer { kill(server.id, SIGKILL) }
        let run = try start(
            "nothing", camera: "ball: false",
            "fetch: \"http://127.0.0.1:\(port)/\(path)\", fetch-token: word, fetch-name: Hall")
        try expect(run, "http://127.0.0.1:\(port): \(text)")
        #expect(server.waitForOutput(containing: "POST /\(path) word True"))
        run.signal(SIGINT)
        let finished = run.wait()
        #expect(finished.exit == .code(130), "\(finished)")
        #expect(!finished.standardError.contains("word"), "no secret is said: \(finished)")
    }

    @Test func `an invalid address to publish to is an error of the session file`() throws {
        let run = try start(
            "wrong", camera: "ball: false", "publish: \"rtmp://media.example/live\"")
        let finished = run.wait()
        #expect(finished.exit == .code(65), "\(finished)")
        #expect(finished.standardError.contains("publish: not a URL"), "\(finished)")
    }
}
