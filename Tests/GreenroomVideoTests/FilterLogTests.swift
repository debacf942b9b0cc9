import Testing

@testable import GreenroomRuntime

@Suite struct FilterLogTests {
    private static let second: Int64 = 1_000_000_000

    /// A frame, and whether it was edited.
    private struct Frame {
        var at: Int64
        var isEdited: Bool
    }

    /// What is told of frames: `"!"` for the first of some that are unedited, and how many they were.
    private func told(_ frames: [Frame]) -> [String] {
        var log = FilterLog()
        return frames.compactMap { frame in
            frame.isEdited
                ? log.edited(at: frame.at).map(String.init)
                : log.unedited(at: frame.at) ? "!" : nil
        }
    }

    @Test func `the first unedited frame is reported, and the first fully edited second after`() {
        let frames = [
            (0, true), (100, false), (200, false), (300, false), (400, true), (500, false),
            (Self.second + 499, true), (Self.second + 500, true), (9 * Self.second, true),
        ].map { Frame(at: $0, isEdited: $1) }
        #expect(
            (0...frames.count).map { told(Array(frames.prefix($0))).count }
                == [0, 0, 1, 1, 1, 1, 1, 1, 2, 2])
        #expect(told(frames) == ["!", "4"])
    }

    @Test func `a filter that is sometimes late is reported once in ten seconds`() {
        // A frame in every second one is unedited, for a minute.
        let frames = (0..<60).map { Frame(at: $0 * Self.second, isEdited: $0 % 2 == 1) }
        #expect(told(frames).count { $0 == "!" } == 6)
    }

    @Test func `a lasting anomaly is reported again after ten seconds`() {
        let before = [Frame(at: 0, isEdited: false), Frame(at: Self.second, isEdited: true)]
        let lasting = (50...100).map { Frame(at: $0 * Self.second / 10, isEdited: false) }
        #expect(told(before + lasting.dropLast()) == ["!", "1"])
        #expect(told(before + lasting) == ["!", "1", "!"])
    }

    @Test func `extreme times do not trap`() {
        let moments = [0, .max, .min, .max, .min / 2, .max] as [Int64]
        let frames = moments.flatMap {
            [Frame(at: $0, isEdited: false), Frame(at: $0, isEdited: true)]
        }
        #expect(!told(frames).isEmpty)
    }
}
