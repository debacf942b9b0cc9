import Testing

@testable import GreenroomConfig
@testable import GreenroomSchema

@Suite struct NearestNameTests {
    @Test(
        arguments: [
            ("settngs", "settings"), ("preProcessors", "pre-processors"), ("plguin", "plugin"),
            ("PLUGIN", "plugin"), ("on_failure", "on-failure"), ("plug", "plugin"), ("pin", nil),
            ("x", nil),
            ("", nil),
            ("duration", nil),
        ] as [(String, String?)])
    func `a mistyped name finds the nearest known name, and other text finds none`(
        written: String, meant: String?
    ) {
        let known = ["plugin", "settings", "on-failure", "pre-processors"]
        #expect(nearestName(to: written, among: known) == meant)
    }

    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1),
        ("kitten", "sitting", 3), ("ca", "abc", 3),
    ])
    func `edit distances of well-known pairs are correct`(
        first: String, second: String, distance: Int
    ) {
        #expect(editDistance(Array(first), Array(second)) == distance)
        #expect(editDistance(Array(second), Array(first)) == distance)
    }

    @Test func `a very long name has no nearest name`() {
        #expect(nearestName(to: String(repeating: "x", count: 200_000), among: ["plugin"]) == nil)
    }
}
