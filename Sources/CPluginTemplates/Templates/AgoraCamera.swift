import AgoraStyle

/// A camera for Agora's engine: replace it by yours.
final class MyPlugin: AgoraApp {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin", name: "my-plugin", version: "0.1.0",
        summary: "A camera written for Agora's engine")
    static let capability = VideoCapability(width: 1280, height: 720, fps: 30)

    private let engine = AgoraRtcEngineKit.sharedEngine(withAppId: "", delegate: nil)
    private var timer: Timer?
    private var number = 0

    func start() {
        engine.setExternalVideoSource(true, useTexture: true, pushMode: true)
        engine.enableVideo()
        timer = Timer.scheduledTimer(withTimeInterval: 1 / 30, repeats: true) { [weak self] _ in
            self?.push()
        }
    }

    func stop() { timer?.invalidate() }

    /// Draws a frame in NV12 and pushes it.
    private func push() {
        let (width, height) = (Self.capability.size.width, Self.capability.size.height)
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
        let frame = AgoraVideoFrame()
        frame.format = 12
        frame.time = CMTime(seconds: CACurrentMediaTime(), preferredTimescale: 1000)
        frame.textureBuf = buffer
        engine.pushExternalVideoFrame(frame)
    }
}

/// The entry of the library, which the host calls.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(AgoraCamera<MyPlugin>.self)
}
