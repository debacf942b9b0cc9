/// Why an output can't be opened.
public struct OutputError: Error, Sendable, CustomStringConvertible {
    /// The file, folder or device.
    public var place: String
    /// The rule and the cure.
    public var explanation: String

    /// The place, then the explanation.
    public var description: String { "\(place): \(explanation)" }
}
