import Glibc
import GreenroomPlugin
import Synchronization
import Testing

/// Runs the real shared library with ALSA devices that are files or null.
@Suite(.serialized) struct AlsaMicrophoneTests {
    private func session(_ settings: [(String, Given)]) throws -> FakeSession {
        try FakeSession("AlsaMicrophone", of: bundledEntry("AlsaMicrophone"), settings: settings)
    }

    /// Waits for a state of the host, up to 10 s.
    private func wait(
        for session: FakeSession, until condition: (FakeHost.State) -> Bool
    ) -> Bool {
        for _ in 0..<10_000 {
            if session.host.state.withLock({ condition($0) }) { return true }
            usleep(1_000)
        }
        return false
    }

    @Test(arguments: [(48_000, 1), (44_100, 2)])
    func `captured audio arrives complete and in order`(rate: Int, channels: Int) throws {
        let media = try TemporaryMedia()
        let sound = (0..<20_000).map { Int16($0 + 1) }
        let file = try media.addFile(
            "in.raw", sound.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) })
        try ALSAConfiguration.set(
            "pcm.voice { type file slave.pcm null file /dev/null infile \"\(file)\" format raw }")
        let session = try session([
            ("device", .text("voice")), ("rate", .integer(Int64(rate))),
            ("channels", .integer(Int64(channels))),
        ])
        try #require(session.initializeAudio() == .ok)
        try #require(session.startSend() == .ok)
        #expect(wait(for: session) { $0.blocks.count >= 20 })
        session.stopSend()
        let sent = session.host.state.withLock { $0.blocks.count }
        let blocks = session.host.state.withLock { $0.blocks.prefix(20) }
        let heard = blocks.flatMap(\.samples)
        #expect(heard == Array(sound.prefix(heard.count)))
        #expect(heard.count >= 20 * rate / 100 * channels)
        #expect(blocks.allSatisfy { $0.sampleRate == rate && $0.channels == channels })
        // The first sample of a block is older than the time of sending.
        let now = session.host.state.withLock { $0.now }
        #expect(blocks.allSatisfy { $0.pts < now && $0.timeout > 0 })

        usleep(20_000)
        #expect(session.host.state.withLock { $0.blocks.count } == sent)
        session.uninitialize()
    }

    @Test func `a missing device is refused with the fix`() throws {
        try ALSAConfiguration.set("")
        let session = try session([("device", .text("nosuch"))])
        #expect(session.initializeAudio() == .badSetting)
        let errors = session.host.state.withLock { $0.errors }
        #expect(errors.count == 1)
        #expect(errors.first?.hasPrefix("nosuch: ") == true)
        #expect(errors.first?.contains("greenroom devices") == true)
    }

    @Test func `a lost device is reopened, with increasing pauses`() throws {
        try ALSAConfiguration.set("pcm.mic { type null }")
        let session = try session([("device", .text("mic"))])
        try #require(session.initializeAudio() == .ok)
        try ALSAConfiguration.set("")
        let start = session.host.state.withLock { $0.now }
        try #require(session.startSend() == .ok)
        // The fake clock jumps to the awaited time.
        #expect(wait(for: session) { $0.waits.count >= 6 })
        #expect(session.host.state.withLock { $0.blocks.isEmpty })
        try ALSAConfiguration.set("pcm.mic { type null }")
        #expect(wait(for: session) { !$0.blocks.isEmpty })
        session.stopSend()

        let moments = session.host.state.withLock { [start] + $0.waits }
        let pauses = zip(moments, moments.dropFirst()).map { ($1 - $0) / 1_000_000_000 }
        #expect(pauses.prefix(6) == [1, 2, 4, 5, 5, 5])
        let log = session.host.state.withLock { $0.log }
        #expect(log.count { $0.contains("no audio") } == 1)
        #expect(log.count { $0.contains("mic: audio again") } == 1)
        session.uninitialize()
    }
}
