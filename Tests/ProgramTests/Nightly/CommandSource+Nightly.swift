import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension CommandSourceTests {
    @Test func `a camera's command that ends is restarted and never counts as silent`()
        throws
    {
        let folder = try TemporaryFolder()
        let film = try film(folder, frames: 5)
        let session = try FileSession(
            Self.source("camera", ["sh", "-c", "echo begun >&2; cat \"\(film)\"; exit 3"]),
            maximum: "160x90@15", duration: "5s", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let log = run.standardError
        // At 0 s, and 0.5, 1 and 2 s after each end.
        #expect(log.components(separatedBy: "sh: begun").count == 5, "\(run)")
        for pause in ["0.5", "1.0", "2.0"] {
            #expect(
                log.contains("sh: ended with exit code 3; restarting in \(pause) s"), "\(run)")
        }
        let shown = try session.picture("camera")
        let first = try Y4MRecording(film).frame(0).y
        let begins = try (0..<shown.frameCount).filter { try shown.frame($0).y == first }
        #expect(begins.count == 4, "\(begins)\n\(run)")
        // The last frame stays until the next one.
        let last = try Y4MRecording(film).frame(4).y
        for begin in begins.dropFirst() {
            #expect(try shown.frame(begin - 1).y == last, "\(begins)")
            #expect(try shown.frame(begin - 4).y == last, "\(begins)")
        }
    }

    @Test func `the log hides the password of an address that a command prints`() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let film = try film(folder, frames: 15)
        let script = "echo rtsp://ana:geheim@camera/door: refused >&2; cat \"\(film)\"; sleep 9"
        let run = try FileSession(
            Self.source("camera", ["sh", "-c", script]), maximum: "160x90@15", duration: "1s",
            clock: "virtual"
        ).run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(
            run.standardError.contains("sh: rtsp://**********@camera/door: refused"), "\(run)")
    }

    @Test func `a named pipe is a camera in a sandboxed process`() throws {
        let folder = try TemporaryFolder()
        let film = try film(folder, frames: 15)
        let pipe = folder("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let session = try FileSession(
            "camera: \(FileSession.bundled("Command", "path: '\(pipe)'", "isolation: process"))",
            maximum: "160x90@15", duration: "1s", clock: "virtual")
        let child = try session.start()
        let writer = try ChildProcess.run("sh", ["-c", "cat \"\(film)\" > \"\(pipe)\""])
        let run = child.wait()
        #expect(writer.exit == .code(0), "\(writer)")
        #expect(run.exit == .code(0), "\(run)")
        let (shown, original) = (try session.picture("camera"), try Y4MRecording(film))
        #expect(try shown.frame(14).y == original.frame(14).y, "\(run)")
    }

    @Test(
        arguments: [
            (
                "cat /proc/self/maps",
                "the stream is not 8-bit 4:2:0 Y4M: a Y4M file begins with YUV4MPEG2"
            ),
            (
                "printf \"YUV4MPEG2 W4 H4 F5:1 C444\\n\"; sleep 9",
                "-pix_fmt yuv420p -f yuv4mpegpipe -"
            ),
            ("printf YUV4; sleep 9", "its Y4M header does not end"),
        ])
    func `a stream that is not Y4M is an error with its fix`(script: String, text: String) throws {
        let session = try FileSession(
            Self.source("camera", ["sh", "-c", script]), maximum: "160x90@15", duration: "1s",
            clock: "virtual")
        let run = try session.run()
        #expect(run.exit != .code(0), "\(run)")
        #expect(run.standardError.contains(text), "\(run)")
    }

    @Test(arguments: ["camera", "microphone", "output"])
    func `a command and its children end with a host that is killed`(place: String) throws {
        let folder = try TemporaryFolder()
        let (pipe, film) = (folder("alive"), try film(folder, frames: 5))
        try #require(mkfifo(pipe, 0o600) == 0)
        // Both hold the pipe open; neither reads its standard input, and SIGTERM ends none of them.
        let script =
            "trap \"\" TERM HUP; exec 9> \"\(pipe)\"; echo alive >&9; sleep 1000 & cat \"\(film)\"; sleep 1000"
        let command = ["sh", "-c", script]
        let session = try FileSession(
            place == "output" ? "camera: { plugin: ColorBars }" : Self.source(place, command),
            maximum: "160x90@15", duration: nil,
            outputs: place == "output"
                ? "[\(FileSession.bundled("Command", "command: \(Self.list(command))"))]"
                : "[{ record: recording }]")
        let child = try session.start()
        let reading = open(pipe, O_RDONLY | O_CLOEXEC)
        try #require(reading >= 0)
        defer { close(reading) }
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(read(reading, &bytes, 6) == 6)
        child.signal(SIGKILL)
        // The end of the pipe: no process has it open.
        #expect(read(reading, &bytes, 16) == 0)
        #expect(child.wait().exit == .signal(SIGKILL))
    }
}
