public import GreenroomMedia

/// A camera, with every callback.
///
/// The order is `init`, `onInitialize`, then `onStartSend` and `onStopSend` in pairs, and
/// `onUninitialized`. Callbacks run one at a time on the instance's control thread and must return
/// within the deadline (2 s). So send frames from another thread: a ``FramePump``, or a thread of
/// your own that has ended or is idle when `onStopSend` returns.
///
/// To draw frames at a steady rate, use ``Camera``.
public protocol VideoSource: Plugin {
    /// The sizes that the source can make, in any order; a row's rate is its maximum. The session offers
    /// the rows that it can take. The default is empty: the source can make any size.
    static var capabilities: [VideoCapability] { get }

    /// Receives the sender and answers the session's offer. Send nothing yet.
    ///
    /// - Parameters:
    ///   - sender: Keep it. After `onUninitialized` it returns `Status.gone`.
    ///   - supported: The rows of the offer, largest first; a row's rate is its maximum.
    ///   - suggested: The best row for now.
    /// - Returns: The source's size and rate.
    /// - Throws: Any error; the instance stays uninitialized, and the session reports the text.
    mutating func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer

    /// The session renegotiated. Without this callback the source keeps its size, and the host adapts its
    /// frames.
    ///
    /// - Returns: The source's new size and rate; nil accepts the suggestion, as `GR_STATUS_OK` does in C. To
    ///   keep the size, answer `.fixed` with it.
    /// - Throws: Any error; the source keeps its size, and the host logs the text.
    mutating func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer?

    /// Start sending. The host accepts frames as soon as it makes this call. Don't wait in here.
    ///
    /// - Throws: Any error; the instance stays stopped.
    mutating func onStartSend() throws

    /// Stop sending. The host refuses frames from now on. Return when all your threads have stopped
    /// sending.
    mutating func onStopSend()

    /// The sender has ended. The default does nothing.
    mutating func onUninitialized()
}

extension VideoSource {
    /// Empty: the source can make any size.
    public static var capabilities: [VideoCapability] { [] }

    /// The source keeps its size.
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

    /// The source's size and rate.
    ///
    /// - Parameter suggested: The suggestion of the answered offer.
    public func capability(suggested: VideoCapability) -> VideoCapability {
        switch self {
        case .accept: suggested
        case .counter(let capability), .fixed(let capability): capability
        }
    }
}
