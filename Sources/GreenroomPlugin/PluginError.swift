public import GreenroomMedia

/// The reason why a callback failed: a status for programs and a text for people.
///
/// A helpful text names the object, the rule it broke, and the fix:
/// `"no file at /srv/loop.y4m: check 'file' in the session file"`.
public struct PluginError: Error, Equatable, Sendable {
    /// The status that the host receives.
    public var status: Status
    /// The text that people read.
    public var text: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - text: The text that people read.
    ///   - status: The status for the host; `Status.unavailable` for a missing device, file or library.
    public init(_ text: String, status: Status = .failed) {
        self.status = status
        self.text = text
    }

    /// The error as it is, or the description of any other error under
    /// `Status.failed`; a refusal keeps its status.
    init(describing error: any Error) {
        switch error {
        case let error as PluginError: self = error
        case let refusal as SendRefusal: self.init(refusal.text, status: refusal.status)
        default: self.init("\(error)")
        }
    }
}

extension PluginError: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}
