// swift-format-ignore-file
// An excerpt of the project's seed document "Send raw data", for compatibility testing.
import ZoomStyle

// listing: zoom-video-source
class MyVideoSource: NSObject, ZoomVideoSDKVideoSource {
    private var sender: ZoomVideoSDKVideoSender?
    private var pumpTask: Task<Void, Never>?  // changed: the page lost the generic arguments
    func onInitialize(_ rawDataSender: ZoomVideoSDKVideoSender, supportCapabilityArray: [Any], suggestCapability: ZoomVideoSDKVideoCapability) {
        // Store the sender; the SDK isn't ready for frames yet.
        sender = rawDataSender
    }
    func onPropertyChange(_ supportCapabilityArray: [Any], suggestCapability: ZoomVideoSDKVideoCapability) {
        // The session or device renegotiated; adjust your pump if needed.
    }
    func onStartSend() {
        // The SDK is ready for frames. Begin pumping on a background task.
        pumpTask = Task(priority: .userInitiated) {
            while !Task.isCancelled {
                let frame = captureNextFrame() // YUV I420 bytes from your source
                sender?.sendVideoFrame(frame.buffer, width: frame.width, height: frame.height, dataLength: frame.length, rotation: frame.rotation, format: frame.format)
                try? await Task.sleep(nanoseconds: 33_000_000) // ~30 fps
            }
        }
    }
    func onStopSend() {
        pumpTask?.cancel()
        pumpTask = nil
    }
    func onUninitialized() {
        sender = nil
    }
}
// end
