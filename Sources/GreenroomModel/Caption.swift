/// The text of words that somebody speaks in a session.
public struct Caption: Equatable, Sendable {
    /// The speaker's name; nil if unknown.
    public var speaker: String?
    /// The text.
    public var text: String
    /// The start of the words, in nanoseconds from the session's start.
    public var startNanoseconds: Int64
    /// The end of the words, in nanoseconds from the session's start.
    public var endNanoseconds: Int64

    /// Makes a caption.
    public init(
        speaker: String? = nil, text: String, startNanoseconds: Int64, endNanoseconds: Int64
    ) {
        self.speaker = speaker
        self.text = text
        self.startNanoseconds = startNanoseconds
        self.endNanoseconds = endNanoseconds
    }
}
