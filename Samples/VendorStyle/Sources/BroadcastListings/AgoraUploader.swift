// swift-format-ignore-file
// An excerpt of the project's seed document "Share the Screen",
// for compatibility testing.
import AgoraStyle

class AgoraUploader {
// listing: agora-engine
// Swift
private static let sharedAgoraEngine: AgoraRtcEngineKit = {
    let kit = AgoraRtcEngineKit.sharedEngine(withAppId: KeyCenter.AppId, delegate: nil)

    kit.enableVideo()
    // Use custom video sources
    kit.setExternalVideoSource(true, useTexture: true, pushMode: true)

    // Do not receive video and audio streams from all remote users
    kit.muteAllRemoteVideoStreams(true)
    kit.muteAllRemoteAudioStreams(true)

    return kit
}()
// end

// listing: agora-send
// Swift
static func sendVideoBuffer(_ sampleBuffer: CMSampleBuffer) {
    guard let videoFrame = CMSampleBufferGetImageBuffer(sampleBuffer)
            else {
        return
    }

    var rotation : Int32 = 0
    if let orientationAttachment = CMGetAttachment(sampleBuffer, key: RPVideoSampleOrientationKey as CFString, attachmentModeOut: nil) as? NSNumber {
        if let orientation = CGImagePropertyOrientation(rawValue: orientationAttachment.uint32Value) {
            switch orientation {
            case .up,    .upMirrored:    rotation = 0
            case .down,  .downMirrored:  rotation = 180
            case .left,  .leftMirrored:  rotation = 90
            case .right, .rightMirrored: rotation = 270
            default:   break
            }
        }
    }

    let time = CMTime(seconds: CACurrentMediaTime(), preferredTimescale: 1000)

    let frame = AgoraVideoFrame()
    frame.format = 12
    frame.time = time
    frame.textureBuf = videoFrame
    frame.rotation = rotation
    sharedAgoraEngine.pushExternalVideoFrame(frame)
}
// end

// listing: agora-join
// Swift
static func startBroadcast(to channel: String) {
    print("joining \(channel)")
    sharedAgoraEngine.joinChannel(byToken: nil, channelId: channel, info: nil, uid: SCREEN_SHARE_UID, joinSuccess: nil)
}
// end
}
