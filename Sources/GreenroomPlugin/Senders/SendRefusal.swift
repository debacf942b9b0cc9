public import GreenroomMedia

/// The reason why the host refused a frame, a block or a call.
public struct SendRefusal: Error, Equatable, Sendable {
    /// The rule that was broken; never `Status.ok`.
    public let status: Status
    /// The host's text: the rule, the call, the state and the fix.
    public let text: String

    /// Whether sending is not possible now: stopped, gone, or not started.
    public var isEnd: Bool { status == .stopped || status == .gone || status == .notStarted }

    /// Whether the host may accept a later frame.
    public var isPassing: Bool { status == .queueFull || status == .noBuffer }
}

extension SendRefusal: CustomStringConvertible {
    /// The text, which begins with the status.
    public var description: String {
        text.hasPrefix("\(status): ") ? text : "\(status): \(text)"
    }
}
