/// Why an output can't be opened.
public struct OutputError: Error, Sendable, CustomStringConvertible {
    /// The file, folder or device.
    public var place: String
    /// The rule and the cure.
    public var explanation: String

    package init(place: String, explanation: String) {
        self.place = place
        self.explanation = explanation
    }

    /// The place, then the explanation.
    public var description: String { "\(place): \(explanation)" }
}
