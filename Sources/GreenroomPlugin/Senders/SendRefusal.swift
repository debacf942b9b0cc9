public import GreenroomMedia

/// Why the host did not take a frame or a block of sound.
public struct SendRefusal: Error, Equatable, Sendable {
    /// Which rule; never `Status.ok`.
    public let status: Status
    /// The host's words: the rule, the call, the state and the cure.
    public let text: String

    /// Whether the time for sending is over: stopped, gone, or not yet begun.
    public var isEnd: Bool { status == .stopped || status == .gone || status == .notStarted }

    /// Whether a later frame may well be taken.
    public var isPassing: Bool { status == .queueFull || status == .noBuffer }
}

extension SendRefusal: CustomStringConvertible {
    /// The status and the text.
    public var description: String { "\(status): \(text)" }
}
