import AgoraStyle

let agoraReceived = Received()

/// Gets the users of a channel, their audio and their video.
final class ChannelRecorder: NSObject, AgoraRtcEngineDelegate, AgoraAudioFrameDelegate,
    AgoraVideoFrameDelegate
{
    func rtcEngine(
        _ engine: AgoraRtcEngineKit, didJoinChannel channel: String, withUid uid: UInt, elapsed: Int
    ) { agoraReceived.tell("joined \(channel)") }

    func rtcEngine(_ engine: AgoraRtcEngineKit, didJoinedOfUid uid: UInt, elapsed: Int) {
        agoraReceived.tell("+\(uid)")
        let canvas = AgoraRtcVideoCanvas()
        canvas.view = UIView()
        canvas.uid = uid
        canvas.renderMode = .hidden
        engine.setupRemoteVideo(canvas)
    }

    func rtcEngine(
        _ engine: AgoraRtcEngineKit, didOfflineOfUid uid: UInt, reason: AgoraUserOfflineReason
    ) { agoraReceived.tell("-\(uid)") }

    func rtcEngine(_ engine: AgoraRtcEngineKit, localAudioStats stats: AgoraRtcLocalAudioStats) {
        agoraReceived.tell("\(stats.numChannels) channels")
    }

    func rtcEngine(_ engine: AgoraRtcEngineKit, remoteVideoStats stats: AgoraRtcRemoteVideoStats) {
        agoraReceived.tell(
            "\(stats.uid): \(stats.width)x\(stats.height)@\(stats.rendererOutputFrameRate)")
    }

    func getObservedAudioFramePosition() -> AgoraAudioFramePosition {
        [.playback, .record, .mixed, .beforeMixing]
    }

    func getMixedAudioParams() -> AgoraAudioParams {
        let params = AgoraAudioParams()
        params.sampleRate = 44_100
        params.channel = 2
        params.samplesPerCall = 1764
        return params
    }

    func onRecordAudioFrame(_ frame: AgoraAudioFrame, channelId: String) -> Bool {
        agoraReceived.add(frame.samplesPerChannel, to: "record")
        return true
    }

    func onPlaybackAudioFrame(_ frame: AgoraAudioFrame, channelId: String) -> Bool {
        agoraReceived.add(frame.samplesPerChannel, to: "playback")
        return true
    }

    func onMixedAudioFrame(_ frame: AgoraAudioFrame, channelId: String) -> Bool {
        agoraReceived.add(frame.samplesPerChannel, to: "mixed")
        agoraReceived.set("mixed block", to: frame.samplesPerChannel * frame.channels)
        return true
    }

    func onPlaybackAudioFrame(
        beforeMixing frame: AgoraAudioFrame, channelId: String, uid: UInt
    ) -> Bool {
        agoraReceived.add(frame.samplesPerChannel, to: "user \(uid)")
        if let samples = frame.buffer?.assumingMemoryBound(to: Int16.self) {
            let loudest = (0..<frame.samplesPerChannel).map { Int(samples[$0]) }.max() ?? 0
            agoraReceived.set("loudest", to: max(agoraReceived["loudest"], loudest))
        }
        return true
    }

    func getVideoFormatPreference() -> AgoraVideoFormat { .I420 }

    func onRenderVideoFrame(
        _ videoFrame: AgoraOutputVideoFrame, uid: UInt, channelId: String
    ) -> Bool {
        agoraReceived.add(1, to: "frames")
        agoraReceived.set("luma", to: Int(videoFrame.yBuffer?[0] ?? 0))
        return true
    }
}

/// The app of the recorder.
final class AgoraRecorderApp: AgoraApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.agora-recorder", name: "AgoraRecorder", version: "1.0.0",
        summary: "A recorder for Agora's raw data")

    private let recorder = ChannelRecorder()
    private var engine: AgoraRtcEngineKit?

    func start() {
        let engine = AgoraRtcEngineKit.sharedEngine(
            with: AgoraRtcEngineConfig(), delegate: recorder)
        self.engine = engine
        engine.setAudioFrameDelegate(recorder)
        engine.setVideoFrameDelegate(recorder)
        let frameRate = AgoraVideoFrameRate.fps15
        let orientation = AgoraVideoOutputOrientationMode.adaptative
        engine.setVideoEncoderConfiguration(
            AgoraVideoEncoderConfiguration(
                size: CGSize(width: 640, height: 360), frameRate: frameRate,
                bitrate: AgoraVideoBitrateStandard, orientationMode: orientation,
                mirrorMode: .auto))
        engine.setVideoEncoderConfiguration(
            AgoraVideoEncoderConfiguration(
                size: CGSize(width: 640, height: 360), frameRate: frameRate.rawValue,
                bitrate: AgoraVideoBitrateStandard, orientationMode: orientation,
                mirrorMode: .auto))
        engine.setupLocalVideo(AgoraRtcVideoCanvas())
        engine.joinChannel(
            byToken: nil, channelId: "standup", uid: 0,
            mediaOptions: AgoraRtcChannelMediaOptions())
    }

    func stop() {
        engine?.leaveChannel { stats in agoraReceived.tell("left after \(stats.duration) s") }
        agoraReceived.report()
    }
}

/// A broadcast extension that leaves everything to Agora's handler.
final class ScreenHandler: AgoraReplayKitHandler, @unchecked Sendable {
    override func broadcastStarted(withSetupInfo setupInfo: [String: NSObject]?) {
        super.broadcastStarted(withSetupInfo: setupInfo)
    }

    override func processSampleBuffer(
        _ sampleBuffer: CMSampleBuffer, with sampleBufferType: RPSampleBufferType
    ) { super.processSampleBuffer(sampleBuffer, with: sampleBufferType) }
}

/// The app of the extension.
enum ScreenHandlerApp: BroadcastApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.agora-handler", name: "AgoraHandler", version: "1.0.0",
        summary: "A broadcast extension over Agora's handler")

    static func makeHandler() -> RPBroadcastSampleHandler { ScreenHandler() }
}
