import Foundation
import Glibc
import SessionTestSupport
import SystemPackage
import TestSupport
import Testing

/// Tests the output of `greenroom run` on a terminal, in a file and as JSON.
@Suite(.ownThreads) struct ConsoleTests {
    func session(_ duration: String = "1s") throws -> FileSession {
        try FileSession(
            """
            camera: \(FileSession.bundled("ColorBars"))
            microphone: \(FileSession.bundled("Tone"))
            """, duration: duration)
    }

    @Test func `without a terminal there are plain lines`() throws {
        let session = try session("2s")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardOutput.isEmpty, "\(run)")
        #expect(!run.standardError.contains("\r") && !run.standardError.contains("\u{1B}"))
        let lines = run.standardError.split(separator: "\n").map(String.init)
        #expect(lines.first == "camera: 320x180@15, as suggested", "\(run)")
        #expect(lines.contains("sending") && lines.contains("stopping: the duration is over"))
        #expect(lines.last == "recorded in \(session.recording)", "\(run)")
    }

    @Test func `events are printed as JSON, one object per line`() throws {
        let run = try session("2500ms").run("--json")
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.isEmpty, "\(run)")
        let events = try run.events
        let names = events.map(\.event)
        #expect(names.first == "agreed" && names.last == "ended", "\(names)")
        let order = ["agreed", "started", "status", "stopping", "ended"]
        #expect(order.compactMap { names.firstIndex(of: $0) }.count == order.count, "\(names)")
        let places = order.compactMap { names.firstIndex(of: $0) }
        #expect(places == places.sorted(), "\(names)")
        #expect(events[0].role == "camera" && events[0].capability == "320x180@15")
        let statuses = events.filter { $0.event == "status" }.compactMap { $0.videoTracks?.first }
        #expect(statuses.allSatisfy { $0.track == "camera" && $0.refused == 0 })
        #expect(
            statuses.contains { $0.accepted > 0 && $0.fps > 5 && $0.fps < 30 }, "about 15: \(run)")
        let end = try #require(events.last)
        #expect(end.outcome == "finished" && end.exit == 0)
        #expect(end.summary?.last?.hasPrefix("recorded in ") == true)
        let times = events.filter { $0.event != "status" }.compactMap(\.time)
        #expect(times.count == names.filter { $0 != "status" }.count && times == times.sorted())
    }

    @Test
    func `a session whose output cannot be opened ends its events with exit code 74`() throws {
        let session = try FileSession(
            "camera: \(FileSession.bundled("ColorBars"))",
            outputs: "[{ record: /dev/null/recording }]")
        let run = try session.run("--json")
        #expect(run.exit == .code(74), "\(run)")
        let end = try #require(try run.events.last)
        #expect(end.event == "ended" && end.outcome == "output-failed" && end.exit == 74)
        #expect(end.summary?.first?.contains("/dev/null/recording") == true, "\(run.text)")
    }

    // MARK: Control lines

    /// Runs a session whose standard input comes from a command of the shell.
    func run(
        _ session: FileSession, _ arguments: String, inputFrom command: String
    ) throws -> Finished {
        // What comes before the session sends ends its start.
        let (out, log) = (session.folder("out"), session.folder("log"))
        let script = """
            (for i in $(seq 400); do
                grep -qsE 'sending|"started"' '\(out)' '\(log)' && break
                sleep 0.1
            done
            \(command)) | '\(Checkout.greenroom)' run '\(session.file)' \(arguments) > '\(out)' 2> '\(log)'
            status=$?
            cat '\(out)'
            cat '\(log)' >&2
            exit $status
            """
        return try ChildProcess.run(
            "sh", ["-c", script], environment: ["GREENROOM_PLUGIN_PATH": nil])
    }

    // MARK: Readers that don't read

    /// A named pipe that is full, so that its next writer waits for a reader.
    struct FullPipe: ~Copyable {
        let path: String
        private let descriptor: Int32
        private var filling = 0

        init(in folder: TemporaryFolder) throws {
            path = folder("pipe")
            guard mkfifo(path, 0o600) == 0,
                case let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC), descriptor >= 0
            else { throw Failure("can't make \(path): \(Errno(rawValue: errno))") }
            self.descriptor = descriptor
            let block = [UInt8](repeating: UInt8(ascii: "\n"), count: 4096)
            while case let count = write(descriptor, block, block.count), count > 0 {
                filling += count
            }
        }

        deinit { close(descriptor) }

        /// All data after the filling.
        ///
        /// - Parameter isOver: Whether the data ends when the pipe is empty. It gets the newest data.
        func read(until isOver: (ArraySlice<UInt8>) -> Bool) -> String {
            var bytes: [UInt8] = []
            var block = [UInt8](repeating: 0, count: 65536)
            while true {
                let wasOver = isOver(bytes.suffix(2 * block.count))
                let count = Glibc.read(descriptor, &block, block.count)
                if count > 0 {
                    bytes += block[..<count]
                } else if wasOver {
                    return String(decoding: bytes.dropFirst(filling), as: UTF8.self)
                } else {
                    usleep(2_000)
                }
            }
        }
    }

    @Test func `a reader that never reads does not block a session's end`() throws {
        for arguments in ["--json > \"$0\"", "--explain 2> \"$0\""] {
            let session = try session("3s")
            let pipe = try FullPipe(in: session.folder)
            let run = try ChildProcess.run(
                "sh",
                [
                    "-c", "exec '\(Checkout.greenroom)' run '\(session.file)' \(arguments)",
                    pipe.path,
                ], environment: ["GREENROOM_PLUGIN_PATH": nil])
            #expect(run.exit == .code(0), "\(run)")
            let report = try session.expectTrueReport(run)
            #expect(report.outcome == "finished")
            #expect(try session.picture("camera").frameCount == 45, "three seconds")
        }
    }
}
