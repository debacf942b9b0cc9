import Glibc
import GreenroomABI
import GreenroomPlugin
import Synchronization
import TestSupport
import Testing

/// Runs the real shared library with frames that no session sends on purpose. `RecorderTests` plays what
/// sessions record.
@Suite struct RecorderFileTests {
    private let capability = VideoCapability(width: 64, height: 48, fps: 10)

    private func session(
        _ file: String, _ settings: [(String, Given)] = []
    ) throws -> FakeSession {
        let host = FakeHost()
        host.state.withLock { $0.output.isOutput = true }
        let session = try FakeSession(
            "Recorder", of: bundledEntry("Recorder"), settings: [("file", .path(file))] + settings,
            host: host)
        try #require(session.initializeOutput() == .ok)
        try #require(try session.track(1, kind: 1, "camera", capability).want.is_wanted == 1)
        return session
    }

    /// Sends frames, numbered by their periods. Their ids are larger by one.
    private func send(
        _ indices: Range<Int64>, to session: FakeSession, size: FrameSize? = nil,
        content: UInt32 = 1
    ) throws -> [Status] {
        let frame = FakeFrame(.i420, size ?? capability.size, padding: 0)
        defer { frame.free() }
        return try indices.map { index in
            try session.video(
                LentFrame(id: UInt64(index + 1), content: content, index: index), frame)
        }
    }

    /// What ffprobe says of a file's video: its packets and its seconds.
    private func probe(_ file: String) throws -> [Double] {
        let run = try ChildProcess.run(
            "ffprobe",
            [
                "-v", "error", "-count_packets", "-show_entries",
                "stream=nb_read_packets:format=duration", "-of", "default=nk=1:nw=1", file,
            ])
        return run.text.split(separator: "\n").compactMap { Double($0) }
    }

    private static let segmented: [(String, Given)] = [
        ("overwrite", .boolean(true)), ("segment-seconds", .integer(1)),
    ]

    @Test
    func `a recording replaces no segment while one of the segments is being written`() throws {
        let folder = try TemporaryFolder()
        for name in ["a-001.mkv", "a-002.mkv", "a-003.mkv"] { try folder.write(name, "something") }
        let locked = open(folder("a-003.mkv"), O_RDONLY | O_CLOEXEC)
        defer { close(locked) }
        try #require(flock(locked, LOCK_EX | LOCK_NB) == 0)
        #expect(try session(folder("a.mkv"), Self.segmented).startSend() == .unavailable)
        for name in ["a-001.mkv", "a-002.mkv", "a-003.mkv"] {
            #expect(try readFile(folder(name)) == Array("something".utf8))
        }
    }

    @Test func `a restarted recorder removes and replaces no segment`() throws {
        let folder = try TemporaryFolder()
        // The first one was moved away.
        for name in ["a-002.mkv", "a-003.mkv"] { try folder.write(name, "something") }
        let session = try session(folder("a.mkv"), Self.segmented)
        #expect(session.startSend() == .ok)
        #expect(!folder.has("a-001.mkv"))
        #expect(try send(50..<75, to: session).allSatisfy { $0 == .ok })
        session.stopSend()
        for name in ["a-002.mkv", "a-003.mkv"] {
            #expect(try readFile(folder(name)) == Array("something".utf8))
        }
        let segments = [("a-001.mkv", 10.0), ("a-004.mkv", 10), ("a-005.mkv", 5)]
        for (name, frames) in segments {
            #expect(try probe(folder(name)).first == frames, "\(name)")
        }
        #expect(!folder.has("a-006.mkv"))
        #expect(
            session.host.state.withLock { $0.output.files } == segments.map { folder($0.0) },
            "hooks get each segment once, in order")
    }

    @Test func `earlier segments are removed only after the first new segment exists`() throws {
        let folder = try TemporaryFolder()
        // What is no file can't be replaced.
        _ = try ChildProcess.run("mkdir", [folder("a-001.mkv")])
        for name in ["a-002.mkv", "b-001.mkv", "b-002.mkv"] { try folder.write(name, "something") }
        for name in ["a", "b"] {
            let session = try session(folder("\(name).mkv"), Self.segmented)
            #expect(session.startSend() == .ok)
            let statuses = try send(0..<1, to: session)
            #expect(statuses == [name == "a" ? .unavailable : .ok])
            session.stopSend()
        }
        #expect(folder.has("a-002.mkv") && folder.has("b-001.mkv") && !folder.has("b-002.mkv"))
    }

    @Test func `a folder that can't be written to fails the start with the fix`() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "no folder")
        let session = try session(folder("file/a.mkv"))
        #expect(session.startSend() == .unavailable)
        #expect(
            session.host.state.withLock { $0.errors } == [
                folder("file/a.mkv")
                    + ": cannot be written: Not a directory. Record to a folder that is writable."
            ])
    }

    @Test func `a file is not replaced while a recording writes it`() throws {
        let folder = try TemporaryFolder()
        let sessions = try (0..<3).map { _ in
            try session(folder("a.mkv"), [("overwrite", .boolean(true))])
        }
        for session in sessions { #expect(session.startSend() == .ok) }
        #expect(try send(0..<8, to: sessions[0]) == Array(repeating: .ok, count: 8))
        #expect(try send(0..<1, to: sessions[1]) == [.unavailable])
        #expect(
            sessions[1].host.state.withLock { $0.givenUp.map(\.text) } == [
                folder("a.mkv") + ": another recording writes to this file. Name another file, "
                    + "or stop that recording."
            ])
        #expect(try send(8..<10, to: sessions[0]) == [.ok, .ok])
        sessions[0].stopSend()
        #expect(try probe(folder("a.mkv")) == [10, 1])
        #expect(try send(0..<5, to: sessions[2]) == Array(repeating: .ok, count: 5))
        sessions[2].stopSend()
        #expect(try probe(folder("a.mkv")) == [5, 0.5])
    }

    @Test func `frames of another size are skipped and counted`() throws {
        let folder = try TemporaryFolder()
        let session = try session(folder("a.mkv"))
        #expect(session.startSend() == .ok)
        let other = FrameSize(width: 32, height: 24)
        var statuses = try send(0..<3, to: session)
        statuses += try send(3..<5, to: session, size: other)
        // A repetition of what was skipped is new to the file.
        statuses += try send(5..<6, to: session, content: 2)
        statuses += try send(6..<10, to: session)
        #expect(statuses == Array(repeating: .ok, count: 10))
        session.stopSend()
        let (reports, log, givenUp) = session.host.state.withLock {
            ($0.output.reports, $0.log, $0.givenUp.count)
        }
        #expect(reports.filter { $0.hasPrefix("frames-skipped") }.last == "frames-skipped 2.0")
        #expect(log.filter { $0.contains("32x24 in a track of 64x48") }.count == 1, "\(log)")
        #expect(givenUp == 0)
        #expect(try probe(folder("a.mkv")) == [8, 1])
    }

    @Test func `a recording continues if the host refuses to lend a frame for longer`() throws {
        let folder = try TemporaryFolder()
        let session = try session(folder("a.mkv"))
        #expect(session.startSend() == .ok)
        #expect(try send(0..<1, to: session) == [.ok])
        #expect(try send(1..<2, to: session, content: 2) == [.ok])
        session.host.state.withLock { $0.output.keepRefusals = [.queueFull] }
        // What it kept is given back before it asks for another.
        #expect(try send(2..<3, to: session, content: 2) == [.ok])
        #expect(session.host.state.withLock { $0.output.released } == [2])
        #expect(try send(3..<10, to: session, content: 2).allSatisfy { $0 == .ok })
        session.stopSend()
        let (kept, givenUp) = session.host.state.withLock { ($0.output.kept, $0.givenUp.count) }
        #expect(kept.isEmpty && givenUp == 0)
        #expect(try probe(folder("a.mkv")).last == 1)
    }
}
