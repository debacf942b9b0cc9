import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests `greenroom live` with a remote person that is GStreamer's own webrtcbin.
@Suite(.ownThreads(.heavy)) struct WebRoomTests {
    /// A session in a room.
    struct Live {
        let session: FileSession
        let run: ChildProcess
        /// The URL of the page, and the tokens of viewer, guest and operator.
        let url: String
        let tokens: [String]

        init(
            _ sources: String = """
            camera: { plugin: ColorBars, settings: { ball: false } }
            microphone: { plugin: Tone, settings: { frequency: 1000 } }
            """, outputs: String = "[{ record: recording }]"
        ) throws {
            session = try FileSession(
                sources, duration: "100ms", deadline: "20s", isolation: nil, outputs: outputs)
            run = try Greenroom.start(["live", session.file])
            guard run.waitForErrors(containing: "operators: http") else {
                throw Failure("\(run.wait(atMost: .zero))")
            }
            let said = run.errorsSoFar
            let links = said.split(separator: "\n").compactMap { line -> (String, String)? in
                guard let start = line.range(of: "http://"), line.contains("#") else { return nil }
                let parts = line[start.lowerBound...].split(separator: "#")
                return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
            }
            guard links.count == 3, let first = links.first else { throw Failure(said) }
            url = first.0
            tokens = links.map(\.1)
        }

        func peer(
            _ mode: String, _ token: Int, _ more: String..., environment: [String: String?] = [:]
        ) throws -> ChildProcess {
            try ChildProcess(
                "/usr/bin/python3",
                [Checkout.root + "/Tests/WebRoom/peer.py", mode, url, tokens[token]] + more,
                environment: environment)
        }

        /// Ends the session.
        func end() -> Finished {
            run.signal(SIGINT)
            let finished = run.wait()
            #expect(finished.exit == .code(130), "\(finished)")
            return finished
        }
    }

    /// What a peer printed.
    struct Seen: Decodable {
        var frames: Int
        /// The numbers in the frames; nil for one that could not be read.
        var codes: [Int?]
        /// The luma of the bars.
        var bars: [Int]?
        var crossings: Int
        var samples: Int
        /// Of the tests' tones those that were heard, in hertz, each time that they changed.
        var heard: [[Int]]
        /// Seconds until the first frame.
        var first: Double?
        var error: String?

        init(_ finished: Finished) throws {
            guard finished.exit == .code(0) else { throw Failure("\(finished)") }
            self = try JSONDecoder().decode(Self.self, from: Data(finished.standardOutput))
        }
    }

    @Test func `a peer whose certificate does not match its fingerprint gets and sends no media`()
        throws
    {
        let live = try Live()
        let digits = Array(repeating: "AB", count: 32).joined(separator: ":")
        let forged = ["FORGED": "sha-256 \(digits)", "LIMIT": "60"]
        let refusal = "its certificate does not match a=fingerprint of its description"
        let viewer = try live.peer("time", 0, "1000000", environment: forged)
        #expect(
            live.run.waitForErrors(containing: "a viewer disconnected: \(refusal)"),
            "\(live.run.errorsSoFar)")
        let guest = try live.peer("send", 1, "Eve", environment: forged)
        #expect(
            live.run.waitForErrors(containing: "Eve: \(refusal)"), "\(live.run.errorsSoFar)")
        for peer in [viewer, guest] { peer.signal(SIGTERM) }
        #expect(try Seen(viewer.wait()).frames == 0)
        _ = guest.wait()
        let finished = live.end()
        #expect(!finished.standardError.contains("eve-camera"), "\(finished)")
    }

    /// How many frames a peer of the mode `slots` has said that it saw.
    func frames(_ peer: ChildProcess) -> Int {
        peer.errorsSoFar.components(separatedBy: "frame 0\n").count - 1
    }

    @Test func `a room speaks HTTPS with its certificate, and with a renewed one from then on`()
        throws
    {
        let folder = try TemporaryFolder()
        func make(_ name: String) throws {
            let made = try ChildProcess.run(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes",
                    "-days", "2", "-subj", "/CN=\(name)", "-keyout", folder("\(name).key"), "-out",
                    folder("\(name).pem"),
                ])
            try #require(made.exit == .code(0), "\(made)")
        }
        try make("first")
        try make("second")
        let session = try FileSession(
            """
            camera: { plugin: ColorBars }
            call:
              plugin: WebRoom
              isolation: process
              allow: { network: true, read: [\(folder(""))] }
              memory-limit: 1 GB
              settings:
                public-url: https://room.example
                certificate: \(folder("first.pem"))
                key: \(folder("first.key"))
                turn: turn.example
                turn-secret: shared
            """, deadline: "20s", isolation: nil,
            outputs: "[{ record: recording }]")
        let port = Int.random(in: 20_000..<32_000)
        let run = try Greenroom.start(["live", session.file, "--port", "\(port)"])
        #expect(
            run.waitForErrors(
                containing: "operators: https://room.example/#"),
            "\(run.errorsSoFar)")
        /// The subject of the certificate, and the answer.
        func ask(_ arguments: String...) throws -> String {
            let asked = try ChildProcess.run(
                "/usr/bin/curl", ["-kisvS", "https://127.0.0.1:\(port)/health"] + arguments)
            return asked.text + asked.standardError
        }
        let first = try ask()
        #expect(first.contains("subject: CN=first") && first.contains("HTTP/1.1 200"), "\(first)")
        let plain = try ChildProcess.run("/usr/bin/curl", ["-sS", "http://127.0.0.1:\(port)/"])
        #expect(plain.exit != .code(0), "\(plain)")
        for (old, new) in [("first.pem", "second.pem"), ("first.key", "second.key")] {
            #expect(rename(folder(new), folder(old)) == 0)
        }
        #expect(
            run.waitForErrors(containing: "certificate: reloaded"),
            "\(run.errorsSoFar)")
        #expect(try ask().contains("subject: CN=second"))
        // A program with a link learns the servers; a page without one does not.
        let token = run.errorsSoFar.split(separator: "viewers:").last?.split(separator: "#")
            .dropFirst()
            .first?.prefix { !$0.isWhitespace }
        let mine = try ask("-X", "OPTIONS", "-H", "Authorization: Bearer \(token ?? "")")
        #expect(
            mine.contains("Link: <turn:turn.example:3478>; rel=\"ice-server\"; username="),
            "\(mine)")
        #expect(try !ask("-X", "OPTIONS").contains("turn.example"))
        run.signal(SIGINT)
        let finished = run.wait()
        #expect(finished.exit == .code(130), "\(finished)")
        #expect(!finished.standardError.contains("shared"), "no secret is said")
    }
}
