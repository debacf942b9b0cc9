import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Hooks with real programs and a real server.
@Suite(.ownThreads) struct HookTests {
    private func session(_ folder: TemporaryFolder, hooks: String) throws -> FileSession {
        try FileSession(
            """
            camera: { plugin: ColorBars }
            on: { \(hooks) }
            """, maximum: "160x90@15", duration: "1s", clock: "virtual")
    }

    @Test func `a command gets its event from standard input and the environment`() throws {
        let folder = try TemporaryFolder()
        let script =
            "cat > \"$1/$GREENROOM_EVENT\"; echo \"$GREENROOM_FILE$GREENROOM_OUTCOME $PWD\" >> \"$1/log\""
        let command = "[sh, -c, '\(script)', sh, '\(folder.path)']"
        let session = try session(
            folder, hooks: "file-finished: \(command), ended: \(command), lost: \(command)")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let log = String(decoding: try readFile(folder("log")), as: UTF8.self)
        #expect(log.contains("\(session.recording)/camera.y4m \(session.folder.path)\n"), "\(log)")
        #expect(log.contains("finished \(session.folder.path)\n"), "\(log)")
        let event = try #require(
            JSONSerialization.jsonObject(with: Data(try readFile(folder("ended"))))
                as? [String: Any])
        #expect(event["event"] as? String == "ended" && event["outcome"] as? String == "finished")
        #expect(!folder.has("lost"), "\(run)")
        let report = String(
            decoding: try readFile("\(session.recording)/session.json"), as: UTF8.self)
        #expect(report.contains(#""on" : "ended""#) && report.contains(#""delivered" : 1"#))
    }

    @Test func `an argument is never read by a shell`() throws {
        let folder = try TemporaryFolder()
        let session = try session(
            folder, hooks: "ended: [touch, '\(folder.path)/$(touch injected); a b']")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(folder.has("$(touch injected); a b") && !session.folder.has("injected"), "\(run)")
    }

    @Test func `a hook with a missing program or an invalid key stops the start`() throws {
        let folder = try TemporaryFolder()
        let key = try folder.write("key", "not-a-key")
        let session = try session(
            folder,
            hooks: "ended: [no-such-program-here], "
                + "lost: { post: 'https://example.org/h', secret-file: '\(key)' }")
        let run = try session.run()
        #expect(run.exit == .code(65), "\(run)")
        #expect(
            run.standardError.contains(
                "on.ended: no-such-program-here: no such program. Install it, or correct the first "
                    + "word."), "\(run)")
        #expect(
            run.standardError.contains(
                "on.lost.secret-file: needs whsec_ and 24 to 64 bytes in Base64."), "\(run)")
        #expect(!run.standardError.contains("not-a-key"), "\(run)")
    }

    /// A server that answers 503 once, then 200, and prints each request.
    private static let server = """
        import base64, hashlib, hmac, http.server, sys
        key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        class Handler(http.server.BaseHTTPRequestHandler):
            count = 0
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                name, time = self.headers["webhook-id"], self.headers["webhook-timestamp"]
                code = hmac.new(key, f"{name}.{time}.".encode() + body, hashlib.sha256).digest()
                good = self.headers["webhook-signature"] == "v1," + base64.b64encode(code).decode()
                Handler.count += 1
                self.send_response(503 if Handler.count == 1 else 200)
                self.end_headers()
                print(name, good, body.decode(), flush=True)
            def log_message(self, *_): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        print("ready", file=sys.stderr, flush=True)
        server.serve_forever()
        """

    @Test func `a request is signed, and retried with the same identifier`() throws {
        let folder = try TemporaryFolder()
        try folder.write("key", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
        let log = folder("log")
        try folder.write("server.py", Self.server)
        let server = try ChildProcess(
            "sh", ["-c", "exec python3 '\(folder("server.py"))' > '\(log)'"])
        defer { server.signal(SIGKILL) }
        #expect(server.waitForErrors(containing: "ready"), "\(server.errorsSoFar)")
        let first = String(decoding: try readFile(log), as: UTF8.self).split(separator: "\n").first
        let port = first.flatMap { Int($0) }
        let session = try session(
            folder,
            hooks: "ended: { post: 'http://127.0.0.1:\(try #require(port))/h', "
                + "secret-file: '\(folder("key"))' }")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(
            run.standardError.contains(
                "on.ended: warning: the server answered 503; retrying in 1 s"),
            "\(run)")
        let requests = String(decoding: try readFile(log), as: UTF8.self).split(separator: "\n")
            .dropFirst().map { $0.split(separator: " ", maxSplits: 2) }
        #expect(requests.count == 2, "\(requests)")
        #expect(Set(requests.map { $0[0] }).count == 1 && requests.allSatisfy { $0[1] == "True" })
        #expect(requests.allSatisfy { $0[2].contains(#""event":"ended""#) })
    }
}
