/// A text that can be laid out: without control characters except line feeds.
struct TextContent: Equatable {
    /// The longest text, in bytes: the host waits for its layout, and Pango measures in 1/1024 pixel and 32 bits.
    ///
    /// - Parameter size: The font's, in pixels.
    static func limit(ofSize size: Int) -> Int { min(1_000_000 / max(size, 1), 2048) }

    /// The text.
    let text: String
    /// The first bytes that are a heading; 0 for none.
    private(set) var heading = 0
    /// Whether the text was longer than the limit.
    let isCut: Bool

    /// - Parameters:
    ///   - time: The time of a clock or counter.
    ///   - limit: In bytes, of text and subtitle each; more is cut.
    init(_ settings: TextSettings, time: String?, limit: Int) {
        var given = settings.text
        if let time {
            given = given.isEmpty ? time : given.replacing("{time}", with: time)
        }
        let separator = settings.template == .ticker ? " \u{2022} " : "\n"
        let text = Self.cleaned(given, lineFeed: separator, limit)
        guard settings.template == .lowerThird else {
            self.text = text.kept
            isCut = text.isCut
            return
        }
        let subtitle = Self.cleaned(settings.subtitle, lineFeed: separator, limit)
        heading = text.kept.utf8.count
        self.text = subtitle.kept.isEmpty ? text.kept : "\(text.kept)\n\(subtitle.kept)"
        isCut = text.isCut || subtitle.isCut
    }

    private static func cleaned(
        _ text: String, lineFeed: String, _ limit: Int
    ) -> (kept: String, isCut: Bool) {
        var kept = ""
        for character in text {
            let size = kept.utf8.count
            if character.isNewline {
                kept += lineFeed
            } else {
                for scalar in character.unicodeScalars {
                    let isControl = scalar.properties.generalCategory == .control
                    kept.unicodeScalars.append(isControl ? " " : scalar)
                }
            }
            guard kept.utf8.count <= limit else {
                let end = kept.utf8.index(kept.utf8.startIndex, offsetBy: size)
                return (String(kept[..<end]), true)
            }
        }
        return (kept, false)
    }
}
