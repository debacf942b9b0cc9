/// A caption as a command writes it: `START END SPEAKER TEXT`, separated by tabs.
package struct CaptionLine: Equatable, Sendable {
    /// Seconds from the beginning of the command's input.
    package var start: Double
    /// The same.
    package var end: Double
    /// nil if the field is empty.
    package var speaker: String?
    package var text: String

    /// Parses a line; nil if the line has another format.
    package init?(_ line: String) {
        let fields = line.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4, let start = Double(fields[0]), let end = Double(fields[1]),
            (0..<1e9).contains(start), (start...start + 60).contains(end), !fields[3].isEmpty
        else { return nil }
        (self.start, self.end, text) = (start, end, String(fields[3]))
        speaker = fields[2].isEmpty ? nil : String(fields[2])
    }
}
