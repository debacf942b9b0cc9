import GreenroomMedia
import Testing

@Suite struct AbsolutePathTests {
    @Test(arguments: [
        ("a.y4m", "/s/t/a.y4m"), ("./a", "/s/t/a"), ("../a", "/s/a"), ("../../../a", "/a"),
        ("a/../b", "/s/t/a/../b"), ("/abs/../x", "/abs/../x"), ("..", "/s"), (".", "/s/t"),
        ("a/", "/s/t/a/"), ("...", "/s/t/..."),
    ])
    func `leading parent folders are resolved`(path: String, absolute: String) {
        #expect(absolutePath(path, from: "/s/t") == absolute)
    }
}
