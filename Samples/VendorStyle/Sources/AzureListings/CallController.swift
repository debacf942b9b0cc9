// swift-format-ignore-file
// An excerpt of the project's seed document "Add raw media access to your app",
// for compatibility testing.
import AzureStyle

class CallController: NSObject {
// listing: azure-toggle-video
var call: Call?
var outgoingVideoSender: RawOutgoingVideoSender?
var sendingRawVideo: Bool = false

func toggleSendingRawOutgoingVideo() {
    guard let call = call else {
        return
    }
    if sendingRawVideo {
        outgoingVideoSender?.stopSending()
        outgoingVideoSender = nil
    } else {
        let producer = GrayLinesFrameProducer()
        outgoingVideoSender = RawOutgoingVideoSender(frameProducer: producer)
        outgoingVideoSender?.startSending(to: call)
    }
    sendingRawVideo.toggle()
}
// end
}
