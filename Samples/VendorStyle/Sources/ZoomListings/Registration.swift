// swift-format-ignore-file
// An excerpt of the project's seed document "Send raw data",
// for compatibility testing.
import ZoomStyle

/// The lines of the guide that hand a source over.
enum Registration {
    static func assignCamera(_ sessionContext: ZoomVideoSDKSessionContext) {
// listing: zoom-assign-camera
// Assign your source to the session context before joining.
let videoSource = MyVideoSource()
sessionContext.externalVideoSourceDelegate = videoSource
// end
    }

    static func assignFilter(_ sessionContext: ZoomVideoSDKSessionContext) {
// listing: zoom-assign-filter
// Assign the pre-processor to the session context before joining.
let preProcessor = MyPreProcessor()
sessionContext.preProcessorDelegate = preProcessor
// end
    }

    static func assignMicrophone(_ sessionContext: ZoomVideoSDKSessionContext) {
// listing: zoom-assign-microphone
// Assign your microphone to the session context before joining.
let virtualMic = MyVirtualMic()
sessionContext.virtualAudioMicDelegate = virtualMic
// end
    }

    static func registerShare() {
// listing: zoom-register-share
// Register the share source with the SDK.
let shareSource = MyShareSource()
ZoomVideoSDK.shareInstance()?.getShareHelper()?.startSharingExternalSource(shareSource, andAudioSource: nil, isPlaying: false)
// end
    }
}
