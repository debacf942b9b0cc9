/// The event `caption`, as a plugin gets it.
package struct CaptionEvent: Equatable, Sendable {
    /// The speaker's name; nil if unknown.
    package var speaker: String?
    package var text: String
    /// The start of the words, in nanoseconds from the session's start.
    package var start: Int64
    /// The end of the words, in nanoseconds from the session's start.
    package var end: Int64

    /// Reads an event; nil for another one.
    package init?(_ json: String) {
        // Most events are others.
        guard json.contains("\"event\":\"caption\"") else { return nil }
        let bytes = Array(json.utf8)
        let span = bytes.span
        guard let event = JSONText(span),
            event.member("event", in: span)?.text(in: span) == "caption",
            let text = event.member("text", in: span)?.text(in: span),
            let start = event.member("start", in: span)?.nanoseconds,
            let end = event.member("end", in: span)?.nanoseconds
        else { return nil }
        (self.text, self.start, self.end) = (text, start, end)
        speaker = event.member("speaker", in: span)?.text(in: span)
    }

    /// The speaker and the text on one line.
    package var line: String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return speaker.map { "\($0): \(line)" } ?? line
    }
}

extension JSONText {
    /// A number of seconds, in nanoseconds.
    fileprivate var nanoseconds: Int64? {
        guard case .number(let seconds) = self, (0..<1e9).contains(seconds) else { return nil }
        return Int64(seconds * 1000 + 0.5) * 1_000_000
    }
}
