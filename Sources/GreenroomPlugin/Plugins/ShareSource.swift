public import GreenroomMedia

/// Sends the frames of a share; the same functions as for video.
public typealias ShareSender = VideoSender

/// A screen share with every callback in the author's hands.
///
/// Threads and order are those of ``VideoSource``; a share may begin and end any number of
/// times. A share takes any size and rate up to a limit.
///
/// If all you want is to draw frames at a steady rate, ``Screen`` is shorter.
public protocol ShareSource: Plugin {
    /// What the source can make at all, in any order; a row's rate is its maximum. The session
    /// offers no more than them. The default says nothing: the source can
    /// make anything.
    static var capabilities: [VideoCapability] { get }

    /// What the session can take. The default accepts the limit as it is.
    ///
    /// - Parameter limit: The largest size and rate.
    /// - Returns: What the share will make: `.counter` with anything up to the limit, or
    ///   `.fixed` with anything at all, which the host adapts.
    mutating func onShareInitialize(limit: VideoCapability) throws -> VideoAnswer

    /// The session renegotiated. The default returns nil: the share goes on as it is, and the
    /// host adapts.
    mutating func onSharePropertyChange(limit: VideoCapability) -> VideoAnswer?

    /// The share begins: frames are accepted from inside this call on. Don't wait in here.
    mutating func onShareSendStarted(_ sender: ShareSender) throws

    /// The share ends. Return when no thread of yours sends any more.
    mutating func onShareSendStopped()

    /// The sender is gone. The default does nothing.
    mutating func onShareUninitialized()
}

extension ShareSource {
    /// Says nothing.
    public static var capabilities: [VideoCapability] { [] }

    /// Accepts the limit.
    public func onShareInitialize(limit: VideoCapability) throws -> VideoAnswer { .accept }

    /// Goes on as it is.
    public func onSharePropertyChange(limit: VideoCapability) -> VideoAnswer? { nil }

    /// Does nothing.
    public func onShareUninitialized() {}

    /// Exports the type as a share source.
    public static var export: PluginExport {
        PluginExport(Self.self, kind: .shareSource, capabilities: capabilities) {
            ShareSourceInstance($0)
        }
    }
}
