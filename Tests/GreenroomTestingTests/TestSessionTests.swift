import GreenroomPlugin
import GreenroomTesting
import TestSupport
import Testing

/// Sessions as authors of plugins test them.
@Suite(.ownThreads) struct TestSessionTests {
    @Test func `time passes only when the test advances it`() throws {
        let session = try TestSession([TestPlugin(FakeCamera.self)])
        #expect(session.takeFrames(of: "camera").isEmpty)
        session.advance(by: .seconds(1))
        let frames = session.takeFrames(of: "camera")
        #expect(frames.map(\.content).allSatisfy { $0 == .new })
        #expect(frames.map { Int($0.luma(x: 9, y: 9)) } == (0..<frames.count).map { 16 + $0 })
        #expect((29...30).contains(frames.count))
        #expect(session.takeFrames(of: "camera").isEmpty)
        session.advance(by: .seconds(1))
        #expect(session.takeFrames(of: "camera").first?.index == Int64(frames.count))
        let report = try session.end()
        #expect(report.outcome == .finished && report.videoTracks.first?.sent == 60)
    }

    @Test func `a ceiling changes the size that the camera sends`() throws {
        let session = try TestSession([TestPlugin(FakeCamera.self)])
        session.advance(by: .milliseconds(500))
        #expect(session.takeFrames(of: "camera").last?.size == FrameSize(width: 640, height: 360))
        try session.perform(.ceiling(.camera, VideoCapability(width: 320, height: 180, fps: 15)))
        session.advance(by: .seconds(1))
        let frames = session.takeFrames(of: "camera")
        #expect(!frames.isEmpty, "the host scales them to the size that the test takes")
        let report = try session.end()
        #expect(report.videoTracks.first?.negotiation.last?.source == "320x180@15")
    }

    @Test func `filters edit the camera, and live settings reach the microphone`() throws {
        let session = try TestSession([
            TestPlugin(FakeCamera.self), TestPlugin(FakeFilter.self),
            TestPlugin(FakeMicrophone.self, settings: ["level": 700]),
        ])
        session.advance(by: .milliseconds(500))
        let frames = session.takeFrames(of: "camera")
        #expect(!frames.isEmpty && frames.allSatisfy { $0.luma(x: 3, y: 0) == 235 })
        #expect(session.takeSamples(of: "microphone").last == 700)
        try session.perform(.set(PluginAddress(.microphone), name: "level", value: -300))
        session.advance(by: .milliseconds(500))
        #expect(session.takeSamples(of: "microphone").last == -300)
    }

    /// A filter that writes into each frame before it fails.
    private struct Spoiler: VideoSourcePreProcessor {
        static let plugin = PluginDescription(
            id: "io.greenroom.testing.spoiler", name: "Spoiler", version: "1.0.0",
            summary: "Fails after half an edit")

        struct Settings: PluginSettings {
            static let table: [Setting<Self>] = []
        }

        init(settings: Settings, host: PluginHost) {}

        func onPreProcessRawData(_ frame: inout MutableFrame) throws {
            var row = frame.row(0)
            for x in row.indices { row[x] = 235 }
            throw PluginError("no lens cap")
        }
    }

    @Test
    func `a frame whose filter throws is shown as the camera sent it, and the log has the text`()
        throws
    {
        let session = try TestSession([TestPlugin(FakeCamera.self), TestPlugin(Spoiler.self)])
        session.advance(by: .seconds(1))
        let frames = session.takeFrames(of: "camera")
        #expect(!frames.isEmpty && frames.allSatisfy { $0.luma(x: 3, y: 0) < 60 })
        let lines = session.events.compactMap(\.line)
        #expect(lines.count { $0.contains("no lens cap") } == 1, "once in a row: \(lines)")
        #expect(lines.contains { $0.contains("refused a frame (FAILED)") })
        #expect(!lines.contains { $0.contains("faster") }, "\(lines)")
        let video = try session.end().videoTracks.first
        #expect(video?.account.unedited == video?.account.total)
    }

    @Test func `a participant of a call has tracks`() throws {
        let session = try TestSession([TestPlugin(FakeCall.self, settings: ["name": "Ben"])])
        session.advance(by: .seconds(1))
        #expect(session.takeFrames(of: "ben-camera").last?.meanLuma == 100)
        #expect(session.takeSamples(of: "ben-microphone").last == 500)
        #expect(session.takeSamples(of: "incoming").last == 500)
    }

    @Test func `a session whose camera gives up ends, and the test continues`() throws {
        let session = try TestSession([TestPlugin(FakeCamera.self, settings: ["frames": 10])])
        session.advance(by: .seconds(5))
        session.advance(by: .seconds(5))
        #expect(!session.isRunning)
        #expect(session.takeFrames(of: "camera").count { $0.content == .new } == 10)
        #expect(try session.end().outcome == .pluginFailed)
    }

    @Test(arguments: [
        ([TestPlugin(FakeCamera.self, settings: ["frames": -1])], "FakeCamera.frames"),
        ([TestPlugin(FakeFilter.self)], "FakeFilter edits the camera"),
        ([TestPlugin(FakeCamera.self), TestPlugin(FakeCamera.self)], "two plugins"),
    ])
    func `the error of a session that cannot start names the cause`(
        plugins: [TestPlugin], text: String
    ) throws {
        let error = try #require(throws: TestSessionError.self) { try TestSession(plugins) }
        #expect(error.description.contains(text), "\(error)")
    }

    @Test func `two runs carry the same media`() throws {
        func run() throws -> ([UInt8], [Int16]) {
            let session = try TestSession([
                TestPlugin(FakeCamera.self), TestPlugin(FakeMicrophone.self),
            ])
            for _ in 0..<20 { session.advance(by: .milliseconds(37)) }
            return (
                session.takeFrames(of: "camera").map { $0.luma(x: 0, y: 0) },
                session.takeSamples(of: "mix")
            )
        }
        let (first, second) = (try run(), try run())
        #expect(first.0 == second.0 && first.1 == second.1 && !first.0.isEmpty)
    }
}
