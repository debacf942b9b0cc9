import ZoomStyle

/// A camera for the Zoom Video SDK: replace it by yours.
final class MyVideoSource: NSObject, ZoomVideoSDKVideoSource {
    private var sender: ZoomVideoSDKVideoSender?
    private var pumpTask: Task<Void, Never>?
    private let lock = NSLock()
    private var size = (width: 1280, height: 720)

    func onInitialize(
        _ rawDataSender: ZoomVideoSDKVideoSender, supportCapabilityArray: [Any],
        suggestCapability: ZoomVideoSDKVideoCapability
    ) {
        sender = rawDataSender
        lock.withLock { size = (suggestCapability.width, suggestCapability.height) }
    }

    func onPropertyChange(
        _ supportCapabilityArray: [Any], suggestCapability: ZoomVideoSDKVideoCapability
    ) {
        lock.withLock { size = (suggestCapability.width, suggestCapability.height) }
    }

    func onStartSend() {
        pumpTask = Task(priority: .userInitiated) {
            var number = 0
            while !Task.isCancelled {
                send(number)
                number += 1
                try? await Task.sleep(nanoseconds: 33_000_000)
            }
        }
    }

    func onStopSend() {
        pumpTask?.cancel()
        pumpTask = nil
    }

    func onUninitialized() { sender = nil }

    /// Draws a frame in I420 and sends it.
    private func send(_ number: Int) {
        let (width, height) = lock.withLock { size }
        // Of an odd size, the planes of chroma are rounded up.
        let chroma = (width + 1) / 2 * ((height + 1) / 2)
        var frame = [UInt8](repeating: 128, count: width * height + 2 * chroma)
        for y in 0..<height {
            for x in 0..<width { frame[y * width + x] = UInt8(16 + (x + y + number * 4) % 220) }
        }
        frame.withUnsafeBytes { bytes in
            _ = sender?.sendVideoFrame(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), width: UInt(width),
                height: UInt(height), dataLength: UInt(bytes.count), rotation: .none,
                format: .I420_Limit)
        }
    }
}

/// The app before it joins.
enum MyPlugin: ZoomApp {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin", name: "my-plugin", version: "0.1.0",
        summary: "A camera written for the Zoom Video SDK")

    static func join(_ sessionContext: ZoomVideoSDKSessionContext) {
        sessionContext.externalVideoSourceDelegate = MyVideoSource()
    }
}

/// The entry of the library, which the host calls.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(ZoomCamera<MyPlugin>.self)
}
