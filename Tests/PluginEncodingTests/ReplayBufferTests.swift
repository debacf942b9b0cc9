import PluginEncoding
import Testing

@Suite struct ReplayBufferTests {
    private static let second: Int64 = 1_000_000_000

    /// Ten seconds of video in stream 0 and of audio in stream 1, ten packets of 100 bytes a second.
    ///
    /// - Parameter keys: The seconds in which stream 0 has a key frame.
    private func buffer(
        keeping seconds: Int64, keys: [Int64], mostBytes: Int = 1_000_000
    ) -> ReplayBuffer<Int> {
        var buffer = ReplayBuffer<Int>(
            nanoseconds: seconds * Self.second, mostBytes: mostBytes, videoStreams: [0])
        for tenth in 0..<100 as Range<Int64> {
            for stream in 0...1 {
                buffer.add(
                    .init(
                        Int(tenth), stream: stream, start: tenth * Self.second / 10,
                        byteCount: 100,
                        isKey: stream == 1 || tenth % 10 == 0 && keys.contains(tenth / 10)))
            }
            buffer.drop()
        }
        return buffer
    }

    private func first(_ stream: Int, _ buffer: ReplayBuffer<Int>) -> Int? {
        buffer.entries.first { $0.stream == stream }?.content
    }

    @Test(
        arguments: [
            // 9.9 s is the newest packet. A key frame before 4.9 s begins the replay.
            (5, [0, 2, 4, 6, 8], 40, 40), (5, [0], 0, 0), (3, [0, 4, 8], 40, 40),
            (60, [0, 4], 0, 0),
            // Without a key frame, only audio is kept.
            (5, [], nil, 49),
            // The first key frame is later than the time to keep.
            (5, [7], 70, 49),
        ] as [(Int64, [Int64], Int?, Int)])
    func `a replay has at least the requested time, and starts with a key frame`(
        seconds: Int64, keys: [Int64], video: Int?, audio: Int
    ) {
        let buffer = buffer(keeping: seconds, keys: keys)
        #expect(first(0, buffer) == video)
        #expect(first(1, buffer) == audio)
        #expect(buffer.byteCount == buffer.entries.count * 100)
        #expect(buffer.entries.last?.content == 99)
    }

    @Test func `a replay above the size limit is shortened`() {
        let buffer = buffer(keeping: 60, keys: Array(0..<10), mostBytes: 8000)
        #expect(buffer.byteCount <= 8000)
        #expect((2000...8000).contains(buffer.byteCount))
        #expect(first(0, buffer).map { $0 % 10 } == 0)
    }
}
