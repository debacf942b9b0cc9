import BrowserDecisions
import GreenroomPlugin

/// Sends pictures as frames.
private struct FrameSink: PictureSink {
    /// The longest time between two frames of a share, in nanoseconds.
    private static let longestGap: Int64 = 500_000_000

    let isTransparent = false
    let sender: VideoSender
    /// Whether to send each frame. A share sends new ones only.
    let isCamera: Bool
    /// The size of frames before the first picture.
    let size: FrameSize
    private var lastSent = Int64.min / 2

    init(sender: VideoSender, isCamera: Bool, size: FrameSize) {
        (self.sender, self.isCamera, self.size) = (sender, isCamera, size)
    }

    mutating func show(_ picture: PagePicture, isNew: Bool, at time: Int64) throws(SendRefusal) {
        guard isNew || isCamera || time - lastSent >= Self.longestGap else { return }
        lastSent = time
        let info = FrameInfo(color: .bt709Limited, ptsNanoseconds: time)
        guard !picture.isEmpty else {
            var lease = try sender.acquire(format: .rgbx, size: size)
            lease.fill(plane: 0, with: 0)
            return try lease.commit(info)
        }
        try sender.send(
            format: .rgbx, size: picture.visible,
            planes: FramePlanes(
                FramePlanes.Plane(picture.pixels.span.bytes, strideBytes: picture.strideBytes)),
            info: info)
    }
}

/// The state of a camera or a share between the callbacks.
private final class BrowserSource {
    private var settings: BrowserSettings
    private let host: PluginHost
    private var agreed: VideoCapability?
    private var page: PageThread?

    init(_ settings: BrowserSettings, _ host: PluginHost) throws {
        _ = try settings.address()
        self.settings = settings
        self.host = host
    }

    func change(_ settings: BrowserSettings) {
        self.settings = settings
        page?.change { $0.settings = settings }
    }

    /// The page is laid out for any size.
    func answer(to suggested: VideoCapability) throws -> VideoAnswer {
        try BrowserProcess.find()
        if agreed == nil { try BrowserProcess.probe() }
        agreed = suggested
        page?.change { $0.frame = suggested }
        return .accept
    }

    func start(_ sender: VideoSender, isCamera: Bool) throws {
        guard let agreed else { return }
        page = try PageThread(PageState.Wish(settings: settings, frame: agreed), host: host) {
            FrameSink(sender: sender, isCamera: isCamera, size: agreed.size)
        }
    }

    func stop() {
        page?.stop()
        page = nil
    }
}

/// A web page as a camera.
final class BrowserCamera: VideoSource {
    static let plugin = PluginDescription(
        id: "org.greenroom.browser-camera", name: "Browser", version: "1.0.0",
        summary: "Shows a web page as a camera", vendor: "Greenroom",
        needs: .ownSandbox)

    private let source: BrowserSource
    private var sender: VideoSender?

    init(settings: BrowserSettings, host: PluginHost) throws {
        source = try BrowserSource(settings, host)
    }

    func onSettingsChange(_ settings: BrowserSettings) { source.change(settings) }

    func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        self.sender = sender
        return try source.answer(to: suggested)
    }

    func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer? { try source.answer(to: suggested) }

    func onStartSend() throws { if let sender { try source.start(sender, isCamera: true) } }
    func onStopSend() { source.stop() }
    func onUninitialized() { sender = nil }
}

/// A web page as a share.
final class BrowserShare: ShareSource {
    static let plugin = PluginDescription(
        id: "org.greenroom.browser-share", name: "Browser", version: "1.0.0",
        summary: "Shows a web page as a share", vendor: "Greenroom",
        needs: .ownSandbox)

    private let source: BrowserSource

    init(settings: BrowserSettings, host: PluginHost) throws {
        source = try BrowserSource(settings, host)
    }

    func onSettingsChange(_ settings: BrowserSettings) { source.change(settings) }

    func onShareInitialize(limit: VideoCapability) throws -> VideoAnswer {
        try source.answer(to: limit)
    }

    func onSharePropertyChange(limit: VideoCapability) throws -> VideoAnswer? {
        try source.answer(to: limit)
    }

    func onShareSendStarted(_ sender: ShareSender) throws {
        try source.start(sender, isCamera: false)
    }

    func onShareSendStopped() { source.stop() }
}
