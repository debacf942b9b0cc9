import ZoomStyle

let zoomReceived = Received()

/// Gets a user's frames.
final class UserRenderer: NSObject, ZoomVideoSDKRawDataPipeDelegate {
    private let user: ZoomVideoSDKUser

    init(_ user: ZoomVideoSDKUser) {
        self.user = user
        super.init()
        user.getVideoPipe()?.subscribe(with: self, resolution: ._90)
    }

    func stop() { user.getVideoPipe()?.unSubscribe(with: self) }

    func onRawDataFrameReceived(_ rawData: ZoomVideoSDKVideoRawData!) {
        zoomReceived.add(1, to: "frames")
        zoomReceived.set("width", to: Int(rawData.size.width))
        zoomReceived.set("luma", to: Int(UInt8(bitPattern: rawData.yBuffer[0])))
    }

    func onRawDataStatusChanged(_ userRawdataStatus: ZoomVideoSDKUserRawdataStatus) {
        zoomReceived.tell("video \(userRawdataStatus)")
    }
}

/// Hears the session, and follows its users.
final class SessionRecorder: NSObject, ZoomVideoSDKDelegate, ZoomVideoSDKVirtualAudioSpeaker {
    private var renderers: [UInt: UserRenderer] = [:]

    func onSessionJoin() { zoomReceived.tell("joined") }
    func onSessionLeave() {
        zoomReceived.tell("left")
        zoomReceived.report()
    }

    func onUserJoin(_ helper: ZoomVideoSDKUserHelper!, users userArray: [ZoomVideoSDKUser]!) {
        for user in userArray {
            zoomReceived.tell("+\(user.getName() ?? "")")
            renderers[user.getID()] = UserRenderer(user)
        }
    }

    func onUserLeave(_ helper: ZoomVideoSDKUserHelper!, users userArray: [ZoomVideoSDKUser]!) {
        for user in userArray {
            zoomReceived.tell("-\(user.getName() ?? "")")
            renderers.removeValue(forKey: user.getID())?.stop()
        }
    }

    func onUserAudioStatusChanged(
        _ helper: ZoomVideoSDKAudioHelper!, user userArray: [ZoomVideoSDKUser]!
    ) { helper.subscribe() }

    func onMixedAudioRawDataReceived(_ rawData: ZoomVideoSDKAudioRawData!) {
        zoomReceived.add(rawData.bufferLen / 2, to: "mixed")
        zoomReceived.set("rate", to: rawData.sampleRate)
    }

    func onOneWayAudioRawDataReceived(
        _ rawData: ZoomVideoSDKAudioRawData!, user: ZoomVideoSDKUser!
    ) { zoomReceived.add(rawData.bufferLen / 2, to: "one-way of \(user.getName() ?? "")") }

    func onVirtualSpeakerMixedAudioReceived(_ rawData: ZoomVideoSDKAudioRawData!) {
        zoomReceived.add(rawData.bufferLen / 2, to: "speaker")
    }
}

/// The app of the recorder.
enum ZoomRecorderApp: ZoomApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.zoom-recorder", name: "ZoomRecorder", version: "1.0.0",
        summary: "A recorder for Zoom's raw data")

    nonisolated(unsafe) private static var recorder: SessionRecorder?

    static func join(_ sessionContext: ZoomVideoSDKSessionContext) {
        let recorder = SessionRecorder()
        self.recorder = recorder
        ZoomVideoSDK.shareInstance()?.delegate = recorder
        sessionContext.virtualAudioSpeakerDelegate = recorder
        sessionContext.userName = "Recorder"
    }
}
