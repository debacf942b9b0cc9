import CSndFile
import Glibc
import GreenroomABI
import GreenroomPlugin
import Synchronization
import TestSupport
import Testing

/// Runs the real shared library.
@Suite struct SpeakerFileTests {
    private func session(
        _ path: String, _ settings: [(String, Given)] = [], kind: UInt32 = 5
    ) throws -> (session: FakeSession, want: gr_want) {
        let host = FakeHost()
        host.state.withLock { $0.output.isOutput = true }
        let session = try FakeSession(
            "SpeakerFile", of: bundledEntry("SpeakerFile"),
            settings: [("path", .path(path))] + settings, host: host)
        try #require(session.initializeOutput() == .ok)
        return (session, try session.track(1, kind: kind, "a track").want)
    }

    /// Reads a file back.
    private func read(_ path: String) throws -> (info: SF_INFO, samples: [Int16]) {
        var info = SF_INFO()
        let file = try #require(
            sf_open(path, Int32(SFM_READ), &info), "\(String(cString: sf_strerror(nil)))")
        defer { sf_close(file) }
        var samples = [Int16](repeating: 0, count: 1 << 20)
        let count = sf_read_short(file, &samples, Int64(samples.count))
        return (info, Array(samples.prefix(Int(count))))
    }

    /// A second of samples that differ.
    private func blocks(_ format: AudioFormat) -> [[Int16]] {
        let length = format.sampleRate / 10 * format.channels
        return (0..<10).map { block in
            (0..<length).map { Int16(truncatingIfNeeded: (block * length + $0) * 31) }
        }
    }

    @Test(arguments: [("wav", 48_000, 2), ("WAV", 8_000, 1), ("flac", 44_100, 2)])
    func `the file has every sample`(ending: String, rate: Int, channels: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder("talk.\(ending)")
        let (session, want) = try session(
            path, [("rate", .integer(Int64(rate))), ("channels", .integer(Int64(channels)))])
        #expect(want.is_wanted == 1 && want.sample_rate_hz == rate && want.channels == channels)
        #expect(want.block_frames == rate / 10)
        #expect(session.startSend() == .ok)
        let format = AudioFormat(sampleRate: rate, channels: channels)
        let blocks = blocks(format) + [[Int16](repeating: 9, count: channels)]
        for block in blocks { #expect(try session.audio(block, format) == .ok) }
        session.stopSend()
        let (info, samples) = try read(path)
        #expect(info.samplerate == rate && info.channels == channels)
        #expect(samples == blocks.flatMap { $0 })
        #expect(Int64(info.frames) == rate + 1)
        let reports = session.host.state.withLock { $0.output.reports }
        #expect(reports.count == 11 && reports[9] == "seconds 1.0")
        let bytes = try readFile(path)
        #expect(bytes.starts(with: (ending == "flac" ? "fLaC" : "RIFF").utf8))
    }

    @Test func `a WAV file of a session that was killed plays to its last block`() throws {
        let folder = try TemporaryFolder()
        let (session, _) = try session(folder("talk.wav"))
        #expect(session.startSend() == .ok)
        let blocks = blocks(.session)
        for block in blocks {
            #expect(try session.audio(block) == .ok)
        }
        // As it is now on the disk.
        let copy = folder("copy.wav")
        try folder.write("copy.wav", try readFile(folder("talk.wav")))
        let (info, samples) = try read(copy)
        #expect(Int64(info.frames) == 48_000)
        #expect(samples == blocks.flatMap { $0 })
    }

    @Test(arguments: [("mix", 5), ("microphone", 2), ("share-audio", 4)] as [(String, UInt32)])
    func `the position decides which track is written`(position: String, kind: UInt32) throws {
        let folder = try TemporaryFolder()
        for other in [1, 2, 3, 4, 5] as [UInt32] {
            let (session, want) = try session(
                folder("\(other).wav"), [("position", .choice(position))], kind: other)
            #expect((want.is_wanted == 1) == (other == kind))
            guard other == kind else { continue }
            #expect(session.startSend() == .ok)
            #expect(try session.audio([1, 2, 3, 4]) == .ok)
            session.stopSend()
            #expect(try read(folder("\(other).wav")).samples == [1, 2, 3, 4])
        }
    }

    @Test
    func `a file in a missing folder or of an unknown format is an error with the fix`() throws {
        let folder = try TemporaryFolder()
        let refusal = try #require(throws: FakeHost.Refusal.self) {
            try self.session(folder("talk.mp3"))
        }
        #expect(refusal.status == .badSetting)
        let (session, _) = try self.session(folder("none/talk.wav"))
        #expect(session.startSend() == .unavailable)
        #expect(
            session.host.state.withLock { $0.errors } == [
                "\(folder("none/talk.wav")): cannot make the file: No such file or directory; name a "
                    + "file in a writable folder that is there"
            ])
        #expect(!folder.has("talk.mp3"))
    }

    @Test func `a full disk ends the output with its reason`() async {
        // A limit on file sizes is of the whole process: it gets one of its own.
        await #expect(processExitsWith: .success) {
            let tests = SpeakerFileTests()
            let folder = try TemporaryFolder()
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            let fileSize = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            getrlimit(fileSize, &limit)
            limit.rlim_cur = 0
            setrlimit(fileSize, &limit)

            // The header of WAV is written at the start.
            let (wav, _) = try tests.session(folder("talk.wav"))
            #expect(wav.startSend() == .failed)
            let errors = wav.host.state.withLock { $0.errors }
            #expect(errors.first?.hasPrefix("\(folder("talk.wav")): writing failed: ") == true)

            let (flac, _) = try tests.session(folder("talk.flac"))
            #expect(flac.startSend() == .ok)
            let statuses = try tests.blocks(.session).map { try flac.audio($0) }
            #expect(
                statuses.count { $0 == .failed } == 1 && statuses.last == .ok, "it waits for stop")
            let givenUp = flac.host.state.withLock { $0.givenUp }
            #expect(givenUp.count == 1)
            #expect(
                givenUp.first?.text.contains("talk.flac: writing failed: ") == true, "\(givenUp)")
        }
    }

    @Test func `a path that is not an ordinary file is refused at once`() throws {
        let folder = try TemporaryFolder()
        try folder.write("target", "precious")
        #expect(symlink(folder("target"), folder("link.wav")) == 0)
        #expect(mkfifo(folder("pipe.wav"), 0o600) == 0)
        for (name, text) in [
            ("link.wav", "is a symbolic link, and links are not followed"),
            ("pipe.wav", "is a named pipe, not a regular file"),
        ] {
            let (session, _) = try session(folder(name))
            #expect(session.startSend() == .unavailable)
            let errors = session.host.state.withLock { $0.errors }
            #expect(errors == ["\(folder(name)): \(text); remove it, or name another file"])
        }
        #expect(try readFile(folder("target")) == Array("precious".utf8))
    }
}
