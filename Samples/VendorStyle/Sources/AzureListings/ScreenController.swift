// swift-format-ignore-file
// An excerpt of the project's seed document "Add raw media access to your app",
// for compatibility testing.
import AzureStyle

class ScreenController: NSObject {
// listing: azure-toggle-screen
var call: Call?
var outgoingVideoSender: RawOutgoingVideoSender?
var sendingScreenShare: Bool = false
var screenShareProducer: ScreenSharingProducer?
func toggleSendingScreenShareOutgoingVideo() {
    guard let call = call else {
        return
    }

    if sendingScreenShare {
        screenShareProducer?.stopRecording()
        outgoingVideoSender?.stopSending()
        outgoingVideoSender = nil
        screenShareProducer = nil
    } else {
        screenShareProducer = ScreenSharingProducer()
        screenShareProducer?.onReadyCallback = { [weak self] in
            guard let producer = self?.screenShareProducer else { return }
            self?.outgoingVideoSender = RawOutgoingVideoSender(frameProducer: producer)  // changed: a closure needs `self`
            self?.outgoingVideoSender?.startSending(to: call)  // changed: a closure needs `self`
        }
        screenShareProducer?.startRecording()
    }
    sendingScreenShare.toggle()
}
// end
}
