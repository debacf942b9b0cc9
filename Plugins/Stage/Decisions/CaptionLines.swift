/// The captions in a picture: the newest two, each for as long as it takes to read it.
package struct CaptionLines: Sendable {
    /// The most captions at a time.
    private static let most = 2
    /// The least time of a caption, and the time per character, in nanoseconds.
    private static let times: (least: Int64, character: Int64) = (3_000_000_000, 70_000_000)
    /// The longest caption, in characters.
    private static let longest = 200

    private var lines: [(text: String, end: Int64)] = []

    package init() {}

    /// Adds a caption.
    package mutating func add(_ text: String, at now: Int64) {
        let text = text.count > Self.longest ? "\(text.prefix(Self.longest - 1))\u{2026}" : text
        let time = max(Self.times.least, Int64(text.count) * Self.times.character)
        lines.append((text, now + time))
        if lines.count > Self.most { lines.removeFirst() }
    }

    /// The text of now; empty without one.
    package func text(at now: Int64) -> String {
        lines.filter { $0.end > now }.map(\.text).joined(separator: "\n")
    }
}
