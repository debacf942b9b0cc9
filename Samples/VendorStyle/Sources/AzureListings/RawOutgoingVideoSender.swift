// swift-format-ignore-file
// An excerpt of the project's seed document "Add raw media access to your app",
// for compatibility testing.
import AzureStyle

// listing: azure-video-sender
final class RawOutgoingVideoSender: NSObject {
    var frameSender: VideoFrameSender?
    let frameProducer: FrameProducerProtocol
    var rawOutgoingStream: RawOutgoingVideoStream!

    private var lock: NSRecursiveLock = NSRecursiveLock()

    private var timer: Timer?
    private var syncSema: DispatchSemaphore?  // changed: `=` is no type annotation
    private(set) weak var call: Call?
    private var running: Bool = false
    private let frameQueue: DispatchQueue = DispatchQueue(label: "org.microsoft.frame-sender")
    private let log = OSLog(subsystem: Bundle.main.bundleIdentifier!, category: "RawOutgoingVideoSender")

    private var options: RawOutgoingVideoStreamOptions!
    private var outgoingVideoStreamState: OutgoingVideoStreamState = .none

    init(frameProducer: FrameProducerProtocol) {
        self.frameProducer = frameProducer
        super.init()
        options = RawOutgoingVideoStreamOptions()
        options.delegate = self
        options.videoFormats = [videoFormat] // Video format we specified on step 1.
        self.rawOutgoingStream = VirtualRawOutgoingVideoStream(videoStreamOptions: options)
    }

    func startSending(to call: Call) {
        self.call = call
        self.startRunning()
        self.call?.startVideo(stream: rawOutgoingStream) { error in
            // Stream sending started.
        }
    }

    func stopSending() {
        self.stopRunning()
        call?.stopVideo(stream: rawOutgoingStream) { error in
            // Stream sending stopped.
        }
    }

    private func startRunning() {
        lock.lock(); defer { lock.unlock() }

        self.running = true
        if frameSender != nil {
            self.startFrameGenerator()
        }
    }

    private func startFrameGenerator() {
        guard let sender = self.frameSender else {
            return
        }

        // How many times per second, based on sender format FPS.
        let interval = TimeInterval((1 as Float) / sender.videoFormat.framesPerSecond)
        frameQueue.async { [weak self] in
            self?.timer = Timer.scheduledTimer(withTimeInterval: interval, repeats: true) { [weak self] _ in
                guard let self = self, let sender = self.frameSender else {
                    return
                }

                let planeData = self.frameProducer.nextFrame(for: sender.videoFormat)
                self.sendSync(with: sender, frame: planeData)  // changed: the listing's function
            }
            RunLoop.current.run()
            self?.timer?.fire()
        }
    }

    private func sendSync(with sender: VideoFrameSender, frame: CVImageBuffer) {
        guard let softwareSender = sender as? SoftwareBasedVideoFrameSender else {
           return
        }
        // Ensure that a frame will not be sent before another finishes.
        syncSema = DispatchSemaphore(value: 0)
        softwareSender.send(frame: frame, timestampInTicks: sender.timestampInTicks) { [weak self] confirmation, error in
            self?.syncSema?.signal()
            guard let self = self else { return }
            if let confirmation = confirmation {
                // Can check if confirmation was successful using `confirmation.status`
            } else if let error = error {
                // Can check details about error in case of failure.
            }
        }
        syncSema?.wait()
    }

    private func stopRunning() {
        lock.lock(); defer { lock.unlock() }

        running = false
        stopFrameGeneration()
    }

    private func stopFrameGeneration() {
        lock.lock(); defer { lock.unlock() }
        timer?.invalidate()
        timer = nil
    }

    deinit {
        timer?.invalidate()
        timer = nil
    }
}

extension RawOutgoingVideoSender: RawOutgoingVideoStreamOptionsDelegate {
    func rawOutgoingVideoStreamOptions(_ rawOutgoingVideoStreamOptions: RawOutgoingVideoStreamOptions,
                                       didChangeOutgoingVideoStreamState args: OutgoingVideoStreamStateChangedEventArgs) {
        outgoingVideoStreamState = args.outgoingVideoStreamState
    }

    func rawOutgoingVideoStreamOptions(_ rawOutgoingVideoStreamOptions: RawOutgoingVideoStreamOptions,
                                       didChangeVideoFrameSender args: VideoFrameSenderChangedEventArgs) {
        // Sender can change to start sending a more efficient format (given network conditions) of the ones specified
        // in the list on the initial step. In that case, you should restart the sender.
        if running {
            stopRunning()
            self.frameSender = args.videoFrameSender
            startRunning()
        } else {
            frameSender = args.videoFrameSender  // changed: the listing's property
        }
    }
}
// end
