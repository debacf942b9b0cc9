import AzureStyle

/// A camera for the Calling SDK of Azure Communication Services: replace it by yours.
final class MyPlugin: NSObject, AzureApp, RawOutgoingVideoStreamOptionsDelegate {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin", name: "my-plugin", version: "0.1.0",
        summary: "A camera written for Azure Communication Services")

    private let options = RawOutgoingVideoStreamOptions()
    private var timer: Timer?
    private var number = 0

    override required init() {}

    func didConnect(to call: Call) {
        let format = VideoFormat()
        format.width = 1280
        format.height = 720
        format.framesPerSecond = 30
        options.videoFormats = [format]
        options.delegate = self
        call.startVideo(stream: VirtualRawOutgoingVideoStream(videoStreamOptions: options)) { _ in }
    }

    func rawOutgoingVideoStreamOptions(
        _ rawOutgoingVideoStreamOptions: RawOutgoingVideoStreamOptions,
        didChangeOutgoingVideoStreamState args: OutgoingVideoStreamStateChangedEventArgs
    ) {}

    func rawOutgoingVideoStreamOptions(
        _ rawOutgoingVideoStreamOptions: RawOutgoingVideoStreamOptions,
        didChangeVideoFrameSender args: VideoFrameSenderChangedEventArgs
    ) {
        timer?.invalidate()
        guard let sender = args.videoFrameSender as? SoftwareBasedVideoFrameSender else { return }
        let interval = 1 / TimeInterval(sender.videoFormat.framesPerSecond)
        timer = Timer.scheduledTimer(withTimeInterval: interval, repeats: true) { [weak self] _ in
            self?.send(to: sender)
        }
    }

    /// Draws a frame in NV12 and sends it.
    private func send(to sender: SoftwareBasedVideoFrameSender) {
        let (width, height) = (
            Int(sender.videoFormat.width), Int(sender.videoFormat.height)
        )
        var buffer: CVPixelBuffer?
        _ = CVPixelBufferCreate(
            kCFAllocatorDefault, width, height, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
            nil, &buffer)
        guard let buffer, let luma = CVPixelBufferGetBaseAddressOfPlane(buffer, 0),
            let chroma = CVPixelBufferGetBaseAddressOfPlane(buffer, 1)
        else { return }
        let stride = CVPixelBufferGetBytesPerRowOfPlane(buffer, 0)
        for y in 0..<height {
            let row = luma.assumingMemoryBound(to: UInt8.self) + y * stride
            for x in 0..<width { row[x] = UInt8(16 + (x + y + number * 4) % 220) }
        }
        memset(chroma, 128, CVPixelBufferGetBytesPerRowOfPlane(buffer, 1) * (height / 2))
        number += 1
        sender.send(frame: buffer, timestampInTicks: sender.timestampInTicks) { _, _ in }
    }
}

/// The entry of the library, which the host calls.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(AzureCamera<MyPlugin>.self)
}
