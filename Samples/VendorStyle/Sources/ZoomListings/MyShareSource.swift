// swift-format-ignore-file
// An excerpt of the project's seed document "Send raw data", for compatibility testing.
import ZoomStyle

// listing: zoom-share-source
class MyShareSource: NSObject, ZoomVideoSDKShareSource {
    private var sender: ZoomVideoSDKShareSender?
    private var pumpTask: Task<Void, Never>?  // changed: the page lost the generic arguments
    func onShareSendStarted(_ rawDataSender: ZoomVideoSDKShareSender?) {
        sender = rawDataSender
        // sendShareFrame sends one frame, so pump frames on a background task.
        pumpTask = Task(priority: .userInitiated) {
            while !Task.isCancelled {
                let frame = captureShareFrame() // raw share frame from your source
                sender?.sendShareFrame(frame.buffer, width: frame.width, height: frame.height, frameLength: frame.length, format: frame.format)
                try? await Task.sleep(nanoseconds: 33_000_000)
            }
        }
    }
    func onShareSendStopped() {
        pumpTask?.cancel()
        pumpTask = nil
        sender = nil
    }
}
// end
