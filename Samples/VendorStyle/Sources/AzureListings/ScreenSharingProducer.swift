// swift-format-ignore-file
// An excerpt of the project's seed document "Add raw media access to your app",
// for compatibility testing.
import AzureStyle

// listing: azure-screen-producer
// changed: the layer has ReplayKit's names

final class ScreenSharingProducer: FrameProducerProtocol {
    private var sampleBuffer: CMSampleBuffer?
    let lock = NSRecursiveLock()

    // Invoked when producer receives the first frame from ReplayKit.
    var onReadyCallback: (() -> Void)?

    // CMSSampleBuffer we get from ReplayKit produces Y and UV 4:2:0 planes data.
    func nextFrame(for format: VideoFormat) -> CVImageBuffer {
        lock.lock(); defer { lock.unlock() }
        guard let sampleBuffer = sampleBuffer, let frameBuffer = CMSampleBufferGetImageBuffer(sampleBuffer) else {
            fatalError()
        }
        return frameBuffer
    }

    func startRecording() {
        // Start a recording of the screen with ReplayKit.
        RPScreenRecorder.shared().startCapture { [weak self] sampleBuffer, type, error in
            guard type == .video, error == nil else { return }
            guard let self = self else { return }

            self.lock.lock()
            let isFirstFrame = self.sampleBuffer == nil
            if isFirstFrame {
                self.onReadyCallback?()
                self.onReadyCallback = nil
            }
            self.sampleBuffer = sampleBuffer
            self.lock.unlock()
        }
    }

    func stopRecording() {
        guard RPScreenRecorder.shared().isRecording else {
            return
        }
        RPScreenRecorder.shared().stopCapture()
    }

    deinit {
        stopRecording()
    }
}
// end
