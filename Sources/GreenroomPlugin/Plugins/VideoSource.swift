public import GreenroomMedia

/// A camera with every callback in the author's hands.
///
/// The order is `init`, `onInitialize`, then `onStartSend` and `onStopSend` in pairs, and
/// `onUninitialized`. Callbacks come one at a time on the instance's control thread and must
/// return within the deadline (2 s), so frames are sent from another thread: a ``FramePump``,
/// or one of your own that has ended or gone idle when `onStopSend` returns.
///
/// If all you want is to draw frames at a steady rate, ``Camera`` is shorter.
public protocol VideoSource: Plugin {
    /// What the source can make at all, in any order; a row's rate is its maximum. The session
    /// offers these sizes as far as it can take them. The default says nothing: the source can
    /// make anything.
    static var capabilities: [VideoCapability] { get }

    /// Here is your sender, and what the session can take. Send nothing yet.
    ///
    /// - Parameters:
    ///   - sender: Keep it; after `onUninitialized` it answers
    ///     `Status.gone`.
    ///   - supported: What the session can take, largest first; a row's rate is its maximum.
    ///   - suggested: The best row for now.
    /// - Returns: What the source will make.
    /// - Throws: Any error; the instance then stays as it was, and its text is reported.
    mutating func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer

    /// The session renegotiated.
    ///
    /// - Returns: What the source makes from now on, or nil to go on as it is: the host then
    ///   adapts its frames. The default returns nil.
    mutating func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer?

    /// Go: frames are accepted from inside this call on. Don't wait in here.
    ///
    /// - Throws: Any error; the instance then stays stopped.
    mutating func onStartSend() throws

    /// Stop: frames are refused from now on. Return when no thread of yours sends any more.
    mutating func onStopSend()

    /// The sender is gone. The default does nothing.
    mutating func onUninitialized()
}

extension VideoSource {
    /// Says nothing.
    public static var capabilities: [VideoCapability] { [] }

    /// Goes on as it is.
    public func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer? { nil }

    /// Does nothing.
    public func onUninitialized() {}

    /// Exports the type as a video source.
    public static var export: PluginExport {
        PluginExport(Self.self, kind: .videoSource, capabilities: capabilities) {
            VideoSourceInstance($0)
        }
    }
}

/// What a source makes of an offer.
public enum VideoAnswer: Hashable, Sendable {
    /// The suggestion, as it is.
    case accept
    /// Another one of the offer.
    case counter(VideoCapability)
    /// Exactly this and nothing else; the host adapts.
    case fixed(VideoCapability)

    /// What the source will make.
    ///
    /// - Parameter suggested: The suggestion of the offer that was answered.
    public func capability(suggested: VideoCapability) -> VideoCapability {
        switch self {
        case .accept: suggested
        case .counter(let capability), .fixed(let capability): capability
        }
    }
}
