import RoomDecisions
import Testing

/// Tests that rooms that send to each other do not hear themselves.
@Suite struct RoomMarksTests {
    /// A room: the rooms that it receives, by the number of the participant.
    private struct Node {
        var far: [UInt32: RoomMarks.Far] = [:]
    }

    /// Connects rooms along pairs, until no mark is new.
    ///
    /// - Returns: For each pair, the rooms whose audio the receiver gets.
    private func heard(_ pairs: [(from: String, to: String)]) -> [[String]] {
        var nodes: [String: Node] = [:]
        var sent = [[String]](repeating: [], count: pairs.count)
        for _ in 0..<10 {
            for (index, pair) in pairs.enumerated() {
                let far = nodes[pair.from]?.far ?? [:]
                let leftOut = RoomMarks.leftOut(of: far, for: pair.to)
                sent[index] = RoomMarks.rooms(pair.from, far: far, without: leftOut)
                nodes[pair.to, default: Node()].far[UInt32(index)] = RoomMarks.Far(sent[index])
            }
        }
        return sent
    }

    @Test(
        arguments: [
            ([("a", "b")], [["a"]]),
            // Two rooms that send to each other.
            ([("a", "b"), ("b", "a")], [["a"], ["b"]]),
            // A circle of three: the last room leaves out what began at the receiver.
            ([("a", "b"), ("b", "c"), ("c", "a")], [["a"], ["b"], ["c"]]),
            // A chain passes everybody on.
            ([("a", "b"), ("b", "c"), ("c", "d")], [["a"], ["b", "a"], ["c", "a", "b"]]),
        ] as [([(String, String)], [[String]])])
    func `no room receives its own audio`(pairs: [(String, String)], expected: [[String]]) {
        let pairs = pairs.map { (from: $0.0, to: $0.1) }
        let heard = heard(pairs)
        for (pair, rooms) in zip(pairs, heard) { #expect(!rooms.contains(pair.to), "\(pair)") }
        for (found, rooms) in zip(heard, expected) { #expect(found.first == rooms.first) }
        if pairs.count < 3 || expected.last?.count == 3 { #expect(heard == expected) }
    }

    @Test func `a description carries at most 32 valid room names`() throws {
        let text =
            "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\n"
        let names = (0..<40).map { "room\($0)" }
        let marked = SDPDescription.marked(text, with: names)
        let read = try SDPDescription(marked)
        #expect(read.rooms == Array(names.prefix(32)))
        #expect(try SDPDescription(read.text).rooms == read.rooms)
        #expect(SDPDescription.marked(text, with: []) == text)
        let other = try SDPDescription(
            marked.replacing("room0 ", with: "\(String(repeating: "x", count: 65)) a;b "))
        #expect(other.rooms.first == "room1")
    }
}
