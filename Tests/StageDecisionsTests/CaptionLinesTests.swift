import StageDecisions
import Testing

@Suite struct CaptionLinesTests {
    private static let second: Int64 = 1_000_000_000

    @Test func `the newest two captions are shown, each for its reading time`() {
        var lines = CaptionLines()
        #expect(lines.text(at: 0) == "")
        lines.add("one", at: 0)
        // 100 characters take 7 s.
        lines.add(String(repeating: "x", count: 100), at: Self.second)
        lines.add("three", at: 2 * Self.second)
        #expect(lines.text(at: 2 * Self.second) == String(repeating: "x", count: 100) + "\nthree")
        #expect(lines.text(at: 5 * Self.second) == String(repeating: "x", count: 100))
        #expect(lines.text(at: 8 * Self.second) == "")
    }

    @Test func `a caption that is too long is cut`() {
        var lines = CaptionLines()
        lines.add(String(repeating: "y", count: 300), at: 0)
        #expect(lines.text(at: 0) == String(repeating: "y", count: 199) + "\u{2026}")
    }
}
