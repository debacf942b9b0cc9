extension String {
    /// The text wrapped to a width between words.
    ///
    /// - Parameter indent: The text at the beginning of each line.
    func wrapped(at width: Int, indent: String = "") -> String {
        var lines: [String] = []
        var line = indent
        for word in split(separator: " ") {
            if line.count + word.count + 1 > width, line != indent {
                lines.append(line)
                line = indent
            }
            line += line == indent ? "\(word)" : " \(word)"
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
