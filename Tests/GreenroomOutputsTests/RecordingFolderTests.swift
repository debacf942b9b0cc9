import Testing

@testable import GreenroomOutputs

/// Folders in which other users can change a recording.
@Suite struct RecordingFolderTests {
    @Test(arguments: [
        (1000, 0o755, 1000, nil), (1000, 0o777, 1000, "all users"), (1000, 0o1777, 1000, nil),
        (0, 0o755, 1000, nil), (0, 0o1777, 1000, nil), (0, 0o777, 1000, "all users"),
        (4_000_000_000, 0o755, 1000, "user 4000000000 owns"),
        (4_000_000_000, 0o1777, 0, "user 4000000000 owns"),
    ])
    func `a folder that another user owns or that all users can change is reported`(
        owner: UInt32, mode: UInt32, user: UInt32, words: String?
    ) {
        let concern = RecordingFolder.concern(owner: owner, mode: mode, user: user)
        #expect((concern == nil) == (words == nil), "\(concern ?? "none")")
        if let words { #expect(concern?.contains(words) == true, "\(concern ?? "none")") }
    }
}
