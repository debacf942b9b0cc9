// swift-format-ignore-file
// An excerpt of the project's seed document "Add raw media access to your app",
// for compatibility testing.
import AzureStyle

/// The steps of raw outgoing video, without the guide's sender.
class VideoSteps: NSObject, RawOutgoingVideoStreamOptionsDelegate {
    private let producer = GrayLinesFrameProducer()
    private var timer: Timer?

// listing: azure-video-state
var outgoingVideoStreamState: OutgoingVideoStreamState = .none

func rawOutgoingVideoStreamOptions(_ options: RawOutgoingVideoStreamOptions,
                                    didChangeOutgoingVideoStreamState args: OutgoingVideoStreamStateChangedEventArgs) {
    outgoingVideoStreamState = args.outgoingVideoStreamState
}
// end

// listing: azure-video-frame-sender
var frameSender: VideoFrameSender?

func rawOutgoingVideoStreamOptions(_ rawOutgoingVideoStreamOptions: RawOutgoingVideoStreamOptions,
                                   didChangeVideoFrameSender args: VideoFrameSenderChangedEventArgs) {
    self.frameSender = args.videoFrameSender
    pump()  // added: sends while there is a sender
}
// end

    func makeStream() -> RawOutgoingVideoStream {
        let videoFormats = [makeVideoFormat()]
// listing: azure-video-options
var options = RawOutgoingVideoStreamOptions()
options.videoFormats = videoFormats
// end
// listing: azure-video-set-delegate
options.delegate = self
// end
// listing: azure-video-stream
let virtualRawOutgoingVideoStream = VirtualRawOutgoingVideoStream(videoStreamOptions: options)
// end
        return virtualRawOutgoingVideoStream
    }

    var screenShareRawOutgoingVideoStream: ScreenShareRawOutgoingVideoStream?

    func makeScreenStream(_ options: RawOutgoingVideoStreamOptions) {
// listing: azure-screen-stream
screenShareRawOutgoingVideoStream = ScreenShareRawOutgoingVideoStream(videoStreamOptions: options)
// end
    }

    private func pump() {
        timer?.invalidate()
        guard outgoingVideoStreamState == .started,
            let sender = frameSender as? SoftwareBasedVideoFrameSender
        else { return }
        let interval = 1 / TimeInterval(sender.videoFormat.framesPerSecond)
        timer = Timer.scheduledTimer(withTimeInterval: interval, repeats: true) { [producer] _ in
            let frame = producer.nextFrame(for: sender.videoFormat)
            sender.send(frame: frame, timestampInTicks: sender.timestampInTicks) { _, _ in }
        }
    }
}
