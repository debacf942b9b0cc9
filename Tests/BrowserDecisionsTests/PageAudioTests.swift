import BrowserDecisions
import Testing

@Suite struct PageAudioTests {
    @Test(
        arguments: [
            ([], ""), ([0x66], "Zg=="), ([0x66, 0x6f], "Zm8="), ([0x66, 0x6f, 0x6f], "Zm9v"),
            ([0xff, 0xfe, 0xfd, 0xfb], "//79+w=="),
        ] as [([UInt8], String)])
    func `bytes are encoded as Base64 and decoded again`(bytes: [UInt8], text: String) {
        #expect(Base64.encode(bytes) == text)
        let encoded = Array(text.utf8)
        var decoded: [UInt8] = []
        #expect(Base64.decode(encoded.span, 0..<encoded.count, into: &decoded))
        #expect(decoded == bytes)
    }

    @Test func `samples are little-endian in both directions`() {
        #expect(PageAudioScript.exchange([1, -2]) == "window.__greenroomAudio?.('AQD+/w==')")
        #expect(PageAudioScript.samples(of: [1, 0, 0xfe, 0xff]) == [1, -2])
        #expect(PageAudioScript.samples(of: [1, 0, 7]) == [1])
        #expect(PageAudioScript.samples(of: []).isEmpty)
    }

    /// Appends (positive) and takes (negative) numbers of samples.
    @Test(
        arguments: [
            // Nothing flows before 60 ms have gathered.
            ([2879, -480, 1, -480], [0, 480]),
            // The last samples before a silence are given, and then the next ones gather.
            ([2880, -2640, -480, 480, -480], [2640, 240, 0]),
            // No more than 250 ms wait.
            ([48_000, -48_000], [12_000]),
        ] as [([Int], [Int])])
    func `a page's audio starts after 60 ms have gathered, and at most 250 ms wait`(
        steps: [Int], taken: [Int]
    ) {
        var buffer = VoiceBuffer()
        var counts: [Int] = []
        for step in steps {
            if step > 0 {
                buffer.append((0..<step).map { Int16(truncatingIfNeeded: $0) })
            } else {
                counts.append(buffer.take(-step).count)
            }
        }
        #expect(counts == taken)
    }

    @Test func `a full buffer drops the oldest samples of a page's audio`() {
        var buffer = VoiceBuffer()
        buffer.append((0..<12_010).map { Int16(truncatingIfNeeded: $0) })
        #expect(buffer.take(2) == [10, 11])
        #expect(buffer.takeAll().count == 11_998)
    }
}
