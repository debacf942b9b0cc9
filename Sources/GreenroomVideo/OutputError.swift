/// The error for an output that cannot be opened.
public struct OutputError: Error, Sendable, CustomStringConvertible {
    /// The file, folder or device.
    public var place: String
    /// The reason and the fix.
    public var explanation: String

    package init(place: String, explanation: String) {
        self.place = place
        self.explanation = explanation
    }

    /// The place and the explanation.
    public var description: String { "\(place): \(explanation)" }
}
