// swift-format-ignore-file
// An excerpt of the project's seed document "Send raw data", for compatibility testing.
import ZoomStyle

// listing: zoom-virtual-mic
class MyVirtualMic: NSObject, ZoomVideoSDKVirtualAudioMic {
    private var sender: ZoomVideoSDKAudioSender?
    private var pumpTask: Task<Void, Never>?  // changed: the page lost the generic arguments
    func onMicInitialize(_ rawDataSender: ZoomVideoSDKAudioSender) {
        // Store the sender; the SDK isn't ready for audio yet.
        sender = rawDataSender
    }
    func onMicStartSend() {
        // The SDK is ready for audio. Begin pumping on a background task.
        pumpTask = Task(priority: .userInitiated) {
            while !Task.isCancelled {
                let chunk = nextAudioChunk() // mono 16-bit PCM bytes from your source
                sender?.send(chunk.buffer, dataLength: chunk.length, sampleRate: chunk.sampleRate)
            }
        }
    }
    func onMicStopSend() {
        pumpTask?.cancel()
        pumpTask = nil
    }
    func onMicUninitialized() {
        sender = nil
    }
}
// end
