import GreenroomConfig
import GreenroomSession
import Testing

@Suite struct HookTests {
    @Test func `a hook is a command or a request`() throws {
        let file = try read(
            """
            camera: { plugin: A }
            on:
              file-finished: [rclone, move, "a b"]
              ended: { post: "https://example.org/h", secret-file: hook.key }
            """)
        #expect(
            file.configuration.hooks == [
                .fileFinished: .command(["rclone", "move", "a b"]),
                .ended: .post(url: "https://example.org/h", secretFile: "hook.key"),
            ])
        #expect(try read("camera: { plugin: A }").configuration.hooks.isEmpty)
    }

    @Test(
        arguments: [
            (
                "lost: rm -rf /",
                "2:13: on.lost: needs a list with a program and its arguments, or a section with the key "
                    + "\"post\", found the text \"rm -rf /\"."
            ),
            (
                "lost: []",
                "2:13: on.lost: needs 1 to 1000 entries, found 0. Remove the key to use the default."
            ),
            (
                "lost: { post: \"https://example.org\" }",
                "2:13: on.lost: needs the key \"secret-file\". Add it, such as secret-file: hook.key."
            ),
            (
                "lost: { post: \"http://example.org\", secret-file: k }",
                "2:21: on.lost.post: needs https://, because the request contains names of guests. "
                    + "http:// is only for a server on this machine."
            ),
            (
                "leaves: [x]",
                "2:7: on.leaves: unknown key. Known keys are \"file-finished\", \"guest-joined\", "
                    + "\"guest-left\", \"lost\", \"ended\"."
            ),
        ])
    func `an error in a hook is reported with its place`(line: String, fault: String) {
        #expect(faults("camera: { plugin: A }\non: { \(line) }") == [fault])
    }
}
