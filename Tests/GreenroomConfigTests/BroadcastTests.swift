import GreenroomConfig
import GreenroomModel
@testable import GreenroomSchema
import GreenroomSession
import Testing

@Suite struct BroadcastTests {
    @Test func `a share can be a broadcast over a socket`() throws {
        let file = try read(
            """
            share: { broadcast: run/share.sock }
            outputs: [{ loudspeaker: default }, { y4m: { track: share } }]
            timeline: [{ at: 1s, do: pause share }, { at: 2s, share-ceiling: 640x360@15 }]
            """)
        #expect(file.configuration.broadcast == "/sessions/run/share.sock")
        #expect(file.configuration.slots.isEmpty)
        #expect(try read("share: { plugin: A }").configuration.broadcast == nil)
        let argument = try read("camera: { plugin: A }", overrides: [.set("share.broadcast=/s")])
        #expect(argument.configuration.broadcast == "/s")
    }

    /// 108 bytes hold a path of 107 and its NUL; here including "/sessions/".
    @Test(
        arguments: [
            (String(repeating: "x", count: 97), nil), (String(repeating: "x", count: 98), 108),
            (String(repeating: "ö", count: 48), nil), (String(repeating: "ö", count: 49), 108),
            ("/" + String(repeating: "x", count: 106), nil),
            ("/" + String(repeating: "x", count: 107), 108),
        ] as [(String, Int?)])
    func `the path of a socket has Linux's limit`(path: String, bytes: Int?) {
        let expected = bytes.map {
            [
                "1:21: share.broadcast: the path of a socket may have 107 bytes, and from / on "
                    + "this one has \($0). Name one in a folder nearer to /, such as "
                    + "/run/greenroom.sock."
            ]
        }
        #expect(faults("share: { broadcast: \(path) }") == expected ?? [])
    }
}
