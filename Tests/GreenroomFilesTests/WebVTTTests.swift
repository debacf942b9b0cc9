import GreenroomSystem
import TestSupport
import Testing

@testable import GreenroomFiles

@Suite struct WebVTTTests {
    private static let second: Int64 = 1_000_000_000

    @Test(
        arguments: [
            ("Hello", nil, 0, 1500, "00:00:00.000 --> 00:00:01.500\nHello\n\n"),
            (
                "a < b & c", "Ana <x>", 3_723_004, 3_724_000,
                "01:02:03.004 --> 01:02:04.000\n<v Ana &lt;x&gt;>a &lt; b &amp; c\n\n"
            ),
            // An empty line or an arrow would begin another cue.
            (
                "one\n\n00:01 --> 00:02\ntwo", nil, 0, 1,
                "00:00:00.000 --> 00:00:00.001\none  00:01 --&gt; 00:02 two\n\n"
            ),
            ("late", nil, -5, -1, "00:00:00.000 --> 00:00:00.000\nlate\n\n"),
            ("long", nil, 360_000_000, 360_000_001, "100:00:00.000 --> 100:00:00.001\nlong\n\n"),
        ] as [(String, String?, Int64, Int64, String)])
    func `a cue has its times and speaker, and markup in its text is escaped`(
        text: String, speaker: String?, start: Int64, end: Int64, cue: String
    ) {
        #expect(
            WebVTTWriter.cue(
                text, speaker: speaker, from: start * 1_000_000, to: end * 1_000_000) == cue)
    }

    @Test func `a caption file is complete on disk after each cue`() throws {
        let folder = try TemporaryFolder()
        var writer = try WebVTTWriter(path: folder("a.vtt"), replaces: false)
        func text() throws -> String {
            String(decoding: try readFile(folder("a.vtt")), as: UTF8.self)
        }
        #expect(try text() == "WEBVTT\n\n")
        try writer.add("Hi", speaker: "Ana", from: Self.second, to: 2 * Self.second)
        #expect(
            try text() == "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ana>Hi\n\n")
        try writer.close()
        #expect(throws: FileError.self) {
            _ = try WebVTTWriter(path: folder("a.vtt"), replaces: false)
        }
    }
}
