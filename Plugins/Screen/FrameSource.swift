import GreenroomPlugin
import GreenroomX11

/// The source of images, for one thread at a time.
protocol FrameSource {
    /// The newest image.
    var image: CapturedImage { get }

    /// The format of its pixels.
    var format: PixelFormat { get }

    /// Ends a call that waits for another program. [any]
    var interrupt: @Sendable () -> Void { get }

    /// Brings the image up to date, without waiting for a change.
    ///
    /// - Throws: `PluginError` if the source is lost. Open the source again.
    mutating func update() throws(PluginError) -> FrameUpdate
}

/// The result of an update.
enum FrameUpdate: Equatable {
    /// The image is as before.
    case unchanged
    case changed
    /// The source has no image now.
    case missing(MissingImage)
    /// The source has ended, for a reason.
    case ended(String)
}

/// The reason for a missing image.
struct MissingImage: Equatable, Sendable {
    /// The first line of the slate.
    var subject: String
    /// The second line of the slate.
    var state: String
    /// For the log.
    var text: String

    static let hidden = MissingImage(
        subject: "window", state: "hidden",
        text: "the window is hidden; the share continues when it is shown")

    static func closed(_ window: String) -> MissingImage {
        MissingImage(
            subject: "window", state: "closed",
            text: "the window is closed; the share continues with a window that is \"\(window)\"")
    }

    static func noMonitor(_ name: String) -> MissingImage {
        MissingImage(
            subject: "monitor", state: "off",
            text: "the monitor \"\(name)\" is off; the share continues when it is back")
    }

    /// Not missing for long.
    static let unanswered = MissingImage(
        subject: "screen", state: "waiting",
        text: "choose what to share in the desktop's dialog")

    static let outside = MissingImage(
        subject: "region", state: "off screen",
        text: "the region is outside of the screen; the share continues when the screen is larger")

    static func lost(_ reason: String) -> MissingImage {
        MissingImage(subject: "screen", state: "lost", text: "\(reason); retrying every second")
    }
}
