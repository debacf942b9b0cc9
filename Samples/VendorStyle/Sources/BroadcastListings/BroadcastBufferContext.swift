// swift-format-ignore-file
// An excerpt of the project's seed document "How To Implement Screen Sharing in iOS App using ReplayKit and App Extension",
// for compatibility testing.
import AgoraStyle

protocol BroadcastBufferContextSubscriber: AnyObject {
    /// Gets the frame that the file has, without its orientation. The bytes are the file's.
    func newFrame(_ frame: Data)
}

/// The app's end of the mapped file.
final class BroadcastBufferContext {
    private weak var subscriber: BroadcastBufferContextSubscriber?
    private var framePollTimer: DispatchTimer?
    private let mappedFile: MappedFile

    init(_ mappedFile: MappedFile) { self.mappedFile = mappedFile }

// listing: fora-buffer-subscribe
func subscribe(_ subscriber: BroadcastBufferContextSubscriber) {
        self.subscriber = subscriber

        framePollTimer = DispatchTimer(timeout: 1.0 / 30.0, repeat: true, completion: { [weak self] in
            guard let mappedFile = self?.mappedFile else {
                return
            }

            var orientationValue: Int32 = 0
            mappedFile.read(at: 0 ..< 4, to: &orientationValue)
            self?.subscriber?.newFrame(Data(
                bytesNoCopy: mappedFile.memory.advanced(by: 4),
                count: mappedFile.size - 4,
                deallocator: .none
            ))
        }, queue: DispatchQueue.main)
        framePollTimer?.start()
    }
// end
}

/// The extension's end: it writes each frame to the file, and the app ends it.
final class BufferHandler: SampleHandler, @unchecked Sendable {
    private let status = BroadcastStatusManagerImpl()
    private var mappedFile: MappedFile?

    override func broadcastStarted(withSetupInfo setupInfo: [String: NSObject]?) {
        mappedFile = MappedFile()
        status.start()
        status.subscribe(self)
    }

    override func processSampleBuffer(
        _ sampleBuffer: CMSampleBuffer, with sampleBufferType: RPSampleBufferType
    ) {
        guard let mappedFile, let pixelBuffer = CMSampleBufferGetImageBuffer(sampleBuffer) else { return }
        let data = PixelBufferSerializer.serialize(pixelBuffer)
        guard data.count <= mappedFile.size else { return }
        data.withUnsafeBytes { bytes in
            guard let baseAddress = bytes.baseAddress else { return }
// listing: fora-memcpy
memcpy(mappedFile.memory, baseAddress, data.count)
// end
        }
    }
}

/// The app: it sends what it finds in the file over WebRTC's video track.
class BufferController: NSObject, BroadcastBufferContextSubscriber {
    private let status = BroadcastStatusManagerImpl()
    private var context: BroadcastBufferContext?
    private var localMediaStream: RTCMediaStream?
    private var videoSource: RTCVideoSource?
    private var screenVideoCapturer: RTCVideoCapturer?

    func start(peerConnectionFactory: RTCPeerConnectionFactory) {
        let localMediaStream = peerConnectionFactory.mediaStream(withStreamId: "app")
        let videoSource = peerConnectionFactory.videoSource()
        let videoTrack = peerConnectionFactory.videoTrack(with: videoSource, trackId: "v0")
// listing: fora-add-track
localMediaStream.addVideoTrack(videoTrack)
// end
        self.localMediaStream = localMediaStream
        self.videoSource = videoSource
        screenVideoCapturer = RTCVideoCapturer(delegate: videoSource)
        guard let mappedFile = MappedFile() else { return }
        context = BroadcastBufferContext(mappedFile)
        context?.subscribe(self)
    }

    func newFrame(_ frame: Data) {
        guard let pixelBuffer = PixelBufferSerializer.deserialize(frame), let videoSource, let screenVideoCapturer
        else { return }
        let width = CVPixelBufferGetWidth(pixelBuffer)
        let height = CVPixelBufferGetHeight(pixelBuffer)
// listing: fora-adapt
videoSource.adaptOutputFormat(toWidth: Int32(width), height: Int32(height), fps: 60)
// end
        let rtcpixelBuffer = RTCCVPixelBuffer(pixelBuffer: pixelBuffer)
        let timestamp = NSDate().timeIntervalSince1970 * 1000 * 1000
        let videoFrame = RTCVideoFrame(buffer: rtcpixelBuffer, rotation: RTCVideoRotation._0, timeStampNs: Int64(timestamp))
        videoSource.capturer(screenVideoCapturer, didCapture: videoFrame)
    }

    func stop() {
        context = nil
        status.stop()
    }
}
