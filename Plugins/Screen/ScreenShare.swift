import GreenroomPlugin
import PluginPortal

/// Shares the screen, a monitor, a region or a window.
final class ScreenShare: ShareSource {
    static let plugin = PluginDescription(
        id: "org.greenroom.screen", name: "Screen", version: "1.0.0",
        summary: "Shares the screen, a monitor, a region or a window", vendor: "Greenroom")

    typealias Settings = ScreenSettings

    private let capture: ScreenCapture

    init(settings: ScreenSettings, host: PluginHost) throws {
        capture = try ScreenCapture(settings, host, isCamera: false)
    }

    func onShareInitialize(limit: VideoCapability) throws -> VideoAnswer {
        try capture.answer(to: limit)
    }

    func onSharePropertyChange(limit: VideoCapability) throws -> VideoAnswer? {
        try capture.answer(to: limit)
    }

    func onShareSendStarted(_ sender: ShareSender) throws { try capture.start(sender) }
    func onShareSendStopped() { capture.stop() }
    func onShareUninitialized() { capture.stop() }
}

/// The same as a camera.
final class ScreenCamera: VideoSource {
    static let plugin = PluginDescription(
        id: "org.greenroom.screen-camera", name: "ScreenCamera", version: "1.0.0",
        summary: "Sends the screen, a monitor, a region or a window as a camera",
        vendor: "Greenroom")

    typealias Settings = ScreenSettings

    private let capture: ScreenCapture
    private var sender: VideoSender?

    init(settings: ScreenSettings, host: PluginHost) throws {
        capture = try ScreenCapture(settings, host, isCamera: true)
    }

    func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        self.sender = sender
        return try capture.answer(to: suggested)
    }

    func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer? { try capture.answer(to: suggested) }

    func onStartSend() throws { if let sender { try capture.start(sender) } }
    func onStopSend() { capture.stop() }

    func onUninitialized() {
        capture.stop()
        sender = nil
    }
}

/// The state of a share or a camera between the callbacks.
final class ScreenCapture {
    private let settings: ScreenSettings
    private let target: ScreenTarget
    private let host: PluginHost
    private let isCamera: Bool
    private var agreed: VideoCapability?
    private var loop: ScreenLoop?

    init(_ settings: ScreenSettings, _ host: PluginHost, isCamera: Bool) throws {
        self.settings = settings
        target = try ScreenTarget(settings)
        self.host = host
        self.isCamera = isCamera
    }

    /// Answers with the target's own size. The host scales a target that is larger than the limit, or that
    /// has no row in a camera's table.
    func answer(to limit: VideoCapability) throws -> VideoAnswer {
        let answer = try answer(own: ownSize(), limit)
        let capability = answer.capability(suggested: limit)
        agreed = capability
        loop?.follow(capability)
        return answer
    }

    private func answer(own: FrameSize, _ limit: VideoCapability) -> VideoAnswer {
        let own = VideoCapability(size: own, rate: limit.rate)
        let fits = own.size.width <= limit.size.width && own.size.height <= limit.size.height
        return fits && !isCamera ? .counter(own) : .fixed(own)
    }

    private func ownSize() throws -> FrameSize {
        // Its thread has the display while it sends.
        if let agreed { return agreed.size }
        let unknown = FrameSize(width: 1280, height: 720)
        guard target != .portal else {
            // The dialog may stay open for long, so it opens when the share starts. Only the bus must exist
            // now.
            _ = try Portal(host)
            return unknown
        }
        var source = try X11Source(target, showsCursor: settings.cursor, host: host)
        // The share waits for a window that is hidden.
        return try source.size() ?? unknown
    }

    func start(_ sender: VideoSender) throws {
        guard let agreed else { return }
        let open: @Sendable () throws -> any FrameSource = { [target, settings, host] in
            guard target == .portal else {
                return try X11Source(target, showsCursor: settings.cursor, host: host)
            }
            return try PortalSource(
                showsCursor: settings.cursor, tokenFile: settings.token, host: host)
        }
        loop = try ScreenLoop(
            try open(), sender: sender, capability: agreed, isCamera: isCamera, open: open)
    }

    func stop() {
        loop?.stop()
        loop = nil
    }
}
