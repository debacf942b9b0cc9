public import GreenroomMedia

/// A camera, with every callback.
///
/// The order is `init`, `onInitialize`, then `onStartSend` and `onStopSend` in pairs, and
/// `onUninitialized`. Callbacks run one at a time on the instance's control thread and must return
/// within the deadline (2 s). So send frames from another thread: a ``FramePump``, or a thread of
/// your own that has ended or is idle when `onStopSend` returns.
///
/// To only draw frames at a steady rate, use ``Camera``.
public protocol VideoSource: Plugin {
    /// The sizes that the source can make, in any order; a row's rate is its maximum. The session
    /// offers those of them that it can take. The default is empty: the source can make anything.
    static var capabilities: [VideoCapability] { get }

    /// Receives the sender and answers the session's offer. Send nothing yet.
    ///
    /// - Parameters:
    ///   - sender: Keep it. After `onUninitialized` it returns `Status.gone`.
    ///   - supported: The rows of the offer, largest first; a row's rate is its maximum.
    ///   - suggested: The best row for now.
    /// - Returns: What the source will make.
    /// - Throws: Any error; the instance stays uninitialized, and the session reports the text.
    mutating func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer

    /// The session renegotiated. Without this callback the source continues as it is, and the host
    /// adapts its frames.
    ///
    /// - Returns: What the source makes from now on; nil accepts the suggestion, as `GR_STATUS_OK`
    ///   does in C. To continue as it is, answer `.fixed` with what it makes.
    /// - Throws: Any error; the source continues as it is, and the host logs the text.
    mutating func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer?

    /// Start sending. The host accepts frames as soon as it makes this call. Don't wait in here.
    ///
    /// - Throws: Any error; the instance stays stopped.
    mutating func onStartSend() throws

    /// Stop sending. The host refuses frames from now on. Return when none of your threads sends
    /// any more.
    mutating func onStopSend()

    /// The sender has ended. The default does nothing.
    mutating func onUninitialized()
}

extension VideoSource {
    /// Empty: the source can make anything.
    public static var capabilities: [VideoCapability] { [] }

    /// The source continues as it is.
    public func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer? { throw OfferIgnored() }

    /// Does nothing.
    public func onUninitialized() {}

    /// Exports the type as a video source.
    public static var export: PluginExport {
        PluginExport(Self.self, kind: .videoSource, capabilities: capabilities) {
            VideoSourceInstance($0)
        }
    }
}

/// A source's answer to an offer.
public enum VideoAnswer: Hashable, Sendable {
    /// The suggestion, unchanged.
    case accept
    /// Another row of the offer, or a row at a lower rate.
    case counter(VideoCapability)
    /// Exactly this, in the offer or not; the host adapts the frames.
    case fixed(VideoCapability)

    /// What the source will make.
    ///
    /// - Parameter suggested: The suggestion of the answered offer.
    public func capability(suggested: VideoCapability) -> VideoCapability {
        switch self {
        case .accept: suggested
        case .counter(let capability), .fixed(let capability): capability
        }
    }
}
