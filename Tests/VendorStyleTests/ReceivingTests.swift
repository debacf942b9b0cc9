import AgoraStyle
import AzureStyle
import GreenroomTesting
import Testing
import ZoomStyle

@testable import ReceiverSamples

/// The receiving half of `Samples/VendorStyle`: samples in the manner of the vendors' recorders, with a participant
/// who leaves after a second. A library has one receiver of a vendor at a time.
@Suite(.serialized) struct ReceivingTests {
    /// Ana, whose camera is grey with a luma of 100 and whose samples are all 500, leaves after a second.
    private final class LeavingCall: GreenroomPlugin.Call {
        static let plugin = PluginDescription(
            id: "io.greenroom.testing.leaving-call", name: "LeavingCall", version: "1.0.0",
            summary: "One participant, for a second")

        private let host: PluginHost
        private var ana: CallParticipant?
        private var video: FramePump?
        private var audio: AudioPump?

        init(settings: NoSettings, host: PluginHost) { self.host = host }

        func onTrack(_ track: Track) -> TrackWant? {
            track.kind == .mixMinus ? .audio() : nil
        }

        func onStart() throws {
            let capability = VideoCapability(width: 320, height: 180, fps: 15)
            let ana = try host.join("Ana")
            self.ana = ana
            let camera = try ana.openCamera(upTo: capability)
            let microphone = try ana.openMicrophone()
            video = try FramePump(sender: camera.sender, capability: capability) { frame, _ in
                frame.fill(plane: 0, with: 100)
                frame.fill(plane: 1, with: 128)
                frame.fill(plane: 2, with: 128)
            }
            audio = try AudioPump(
                sender: microphone.sender, format: AudioFormat(sampleRate: 48_000, channels: 1)
            ) { samples, _ in
                for index in samples.indices { samples[index] = 500 }
            }
        }

        func onAudio(_ block: borrowing OutputBlock) {
            guard block.index >= 48_000, let ana else { return }
            self.ana = nil
            ana.leave()
        }

        func onStop() { (video, audio) = (nil, nil) }
    }

    /// Two seconds of a session.
    private func run(_ receiver: any Plugin.Type, _ others: TestPlugin...) throws {
        let session = try TestSession(
            others + [TestPlugin(LeavingCall.self), TestPlugin(receiver)])
        session.advance(by: .seconds(2))
        let report = try session.end()
        #expect(report.outcome == .finished)
    }

    @Test func `Zoom's delegates get users, frames of a subscribed size and audio`() throws {
        zoomReceived.clear()
        try run(ZoomReceiver<ZoomRecorderApp>.self)
        #expect(
            zoomReceived.events == [
                "joined", "+Ana", "video on", "video off", "-Ana", "left",
            ])
        #expect(zoomReceived["width"] == 160 && zoomReceived["luma"] == 100)
        #expect((14...20).contains(zoomReceived["frames"]), "\(zoomReceived["frames"])")
        // 32000 Hz: everybody's sum for the session, Ana for as long as she was there.
        #expect(zoomReceived["rate"] == 32_000)
        #expect((60_000...64_000).contains(zoomReceived["mixed"]))
        #expect(zoomReceived["speaker"] == zoomReceived["mixed"])
        #expect((32_000...40_000).contains(zoomReceived["one-way of Ana"]))
    }

    @Test func `Azure's call has participants, whose raw video is delivered while it is started`()
        throws
    {
        azureReceived.clear()
        try run(AzureReceiver<AzureRecorderApp>.self)
        #expect(
            azureReceived.events == [
                "connected", "audio started", "+Ana", "video available", "stream started",
                "stream notAvailable", "video notAvailable", "-Ana", "audio stopped",
                "disconnected",
            ])
        #expect(azureReceived["width"] == 320 && azureReceived["luma"] == 100)
        #expect((14...20).contains(azureReceived["frames"]), "\(azureReceived["frames"])")
        #expect((30_000...32_000).contains(azureReceived["samples"]))
    }

    @Test func `Agora's delegates get each position in the format that they want`() throws {
        agoraReceived.clear()
        try run(AgoraReceiver<AgoraRecorderApp>.self, TestPlugin(FakeMicrophone.self))
        #expect(agoraReceived.events == ["joined standup", "+1", "-1", "left after 2 s"])
        #expect(agoraReceived["luma"] == 100)
        // A resampler overshoots a step.
        #expect((500...560).contains(agoraReceived["loudest"]), "\(agoraReceived["loudest"])")
        #expect((14...20).contains(agoraReceived["frames"]), "\(agoraReceived["frames"])")
        #expect((30_000...32_000).contains(agoraReceived["record"]))
        #expect((30_000...32_000).contains(agoraReceived["playback"]))
        #expect((16_000...20_000).contains(agoraReceived["user 1"]))
        #expect((82_000...88_200).contains(agoraReceived["mixed"]))
        #expect(agoraReceived["mixed block"] == 1764, "40 ms of two channels at 44100 Hz")
    }

    @Test func `Agora's delegate gets the statistics of a user's video each two seconds`() throws {
        agoraReceived.clear()
        let session = try TestSession([
            TestPlugin(FakeCall.self), TestPlugin(AgoraReceiver<AgoraRecorderApp>.self),
        ])
        session.advance(by: .seconds(5))
        try session.end()
        #expect(
            agoraReceived.events == [
                "joined standup", "+1", "1: 320x180@15", "1: 320x180@15", "left after 5 s",
            ])
    }

    @Test func `the numbers of Agora's options are the vendor's`() {
        #expect(AgoraVideoBitrateStandard == 0)
        #expect(AgoraVideoFrameRate(rawValue: 24) == .fps24)
        #expect(AgoraVideoOutputOrientationMode.fixedPortrait.rawValue == 2)
        #expect(AgoraVideoMirrorMode.disabled.rawValue == 2)
        #expect(AgoraVideoRenderMode.hidden.rawValue == 1)
    }

    @Test func `Azure's app captures the session's camera, and sends it as a participant`() throws {
        azureReceived.clear()
        let session = try TestSession([
            TestPlugin(FakeCamera.self), TestPlugin(AzureCall<CameraRepeater>.self),
        ])
        session.advance(by: .seconds(2))
        let frames = session.takeFrames(of: "azurerepeater-camera")
        #expect(azureReceived["sent"] > 30 && azureReceived["refused"] == 0)
        try session.end()
        #expect(frames.last?.size == FrameSize(width: 640, height: 360))
        // The luma of FakeCamera's frames counts from 16.
        let lumas = frames.filter { $0.content == .new }.map { $0.luma(x: 9, y: 9) }
        #expect(lumas.count > 30 && zip(lumas, lumas.dropFirst()).allSatisfy { $0 < $1 })
        #expect(
            azureReceived.events == [
                "sending available", "sending started", "sending stopping", "sending stopped",
            ])
    }

    @Test func `Agora's handler sends what a broadcast extension captures`() throws {
        let session = try TestSession([
            TestPlugin(GreyShare.self), TestPlugin(BroadcastExtension<ScreenHandlerApp>.self),
        ])
        session.advance(by: .seconds(1))
        let frames = session.takeFrames(of: "screen-share").filter { $0.content == .new }
        try session.end()
        #expect(frames.count > 5 && frames.allSatisfy { $0.luma(x: 5, y: 5) == 90 })
    }

    /// A share whose luma is 90.
    private struct GreyShare: Screen {
        static let plugin = PluginDescription(
            id: "io.greenroom.testing.grey-share", name: "GreyShare", version: "1.0.0",
            summary: "Grey")

        init(settings: NoSettings, host: PluginHost) {}

        func fill(_ frame: inout MutableFrame, at time: FrameTime) {
            frame.fill(plane: 0, with: 90)
            for plane in 1..<frame.planeCount { frame.fill(plane: plane, with: 128) }
        }
    }
}
