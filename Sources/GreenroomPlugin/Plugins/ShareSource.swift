public import GreenroomMedia

/// Sends the frames of a share; the same functions as for video.
public typealias ShareSender = VideoSender

/// A screen share, with every callback.
///
/// Threads and order are as in ``VideoSource``. A share may start and stop any number of times, and may
/// have any size and rate up to a limit.
///
/// To draw frames at a steady rate, use ``Screen``.
public protocol ShareSource: Plugin {
    /// The sizes that the source can make, in any order; a row's rate is its maximum. The session offers no
    /// more than these. The default is empty: the source can make any size.
    static var capabilities: [VideoCapability] { get }

    /// Answers the session's offer. The default accepts the limit.
    ///
    /// - Parameter limit: The largest size and rate.
    /// - Returns: The share's size and rate: `.counter` up to the limit, or `.fixed` with any value, which
    ///   the host adapts.
    mutating func onShareInitialize(limit: VideoCapability) throws -> VideoAnswer

    /// The session renegotiated. Without this callback the share keeps its size, and the host adapts its
    /// frames.
    ///
    /// - Returns: The share's new size and rate; nil accepts the limit, as `GR_STATUS_OK` does in C. To keep
    ///   the size, answer `.fixed` with it.
    /// - Throws: Any error; the share keeps its size, and the host logs the text.
    mutating func onSharePropertyChange(limit: VideoCapability) throws -> VideoAnswer?

    /// Start sending. The host accepts frames as soon as it makes this call. Don't wait in here.
    mutating func onShareSendStarted(_ sender: ShareSender) throws

    /// Stop sending. Return when all your threads have stopped sending.
    mutating func onShareSendStopped()

    /// The sender has ended. The default does nothing.
    mutating func onShareUninitialized()
}

extension ShareSource {
    /// Empty: the source can make any size.
    public static var capabilities: [VideoCapability] { [] }

    /// Accepts the limit.
    public func onShareInitialize(limit: VideoCapability) throws -> VideoAnswer { .accept }

    /// The share keeps its size.
    public func onSharePropertyChange(limit: VideoCapability) throws -> VideoAnswer? {
        throw OfferIgnored()
    }

    /// Does nothing.
    public func onShareUninitialized() {}

    /// Exports the type as a share source.
    public static var export: PluginExport {
        PluginExport(Self.self, kind: .shareSource, capabilities: capabilities) {
            ShareSourceInstance($0)
        }
    }
}
