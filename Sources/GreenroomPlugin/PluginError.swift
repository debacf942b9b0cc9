public import GreenroomMedia

/// Why a callback failed: a status for programs and a text for people.
///
/// A text that helps names the thing, the rule it broke, and the cure:
/// `"no file at /srv/loop.y4m: check 'file' in the session file"`.
public struct PluginError: Error, Equatable, Sendable {
    /// The status that the host gets.
    public var status: Status
    /// What people read.
    public var text: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - text: What people read.
    ///   - status: What the host gets; `Status.unavailable` for a device, file
    ///     or library that is not there.
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
