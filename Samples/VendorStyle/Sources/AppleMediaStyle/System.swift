// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A log of Apple's, whose lines go to the host's log.
public final class OSLog: Sendable {
    /// The part of the app.
    public let category: String

    /// Makes a log.
    public init(subsystem: String, category: String) { self.category = category }

    /// A log without a category.
    public static let `default` = OSLog(subsystem: "", category: "")
}

/// The severity of a line.
public struct OSLogType: Hashable, Sendable {
    let level: PluginHost.LogLevel

    /// For debugging.
    public static let debug = OSLogType(level: .debug)
    /// Worth knowing.
    public static let info = OSLogType(level: .info)
    /// Worth knowing.
    public static let `default` = OSLogType(level: .info)
    /// Something is wrong.
    public static let error = OSLogType(level: .error)
    /// Something is very wrong.
    public static let fault = OSLogType(level: .error)
}

/// Logs a line.
public func os_log(_ message: String, log: OSLog = .default, type: OSLogType = .default) {
    VendorHost.log(type.level, log.category.isEmpty ? message : "\(log.category): \(message)")
}

/// The app; a plugin has no bundle.
public final class Bundle: Sendable {
    /// The app.
    public static let main = Bundle()

    private init() {}

    /// nil: extensions are plugins of a session file.
    public init?(url: URL) { return nil }

    /// The name that a plugin has for the vendor's code.
    public let bundleIdentifier: String? = "org.greenroom.plugin"

    /// nil: a plugin has no resources of an app.
    public func url(
        forResource name: String?, withExtension extension: String?, subdirectory: String?
    ) -> URL? { nil }
}

/// The screen, which is the share of the session.
public final class UIScreen: @unchecked Sendable {
    /// The screen.
    public static let main = UIScreen()

    private let lock = NSLock()
    private var size = CGSize(width: 1280, height: 720)

    /// Its size in points, which are pixels here.
    public var bounds: CGRect { nativeBounds }

    /// Its size in pixels.
    public var nativeBounds: CGRect {
        CGRect(origin: .zero, size: lock.withLock { size })
    }

    func setSize(_ size: FrameSize) {
        lock.withLock { self.size = CGSize(width: size.width, height: size.height) }
    }
}
