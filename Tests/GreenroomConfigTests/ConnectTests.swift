import GreenroomConfig
import GreenroomModel
@testable import GreenroomSchema
import GreenroomSession
import Testing

@Suite struct ConnectTests {
    @Test func `every plugin can be a program that connects`() throws {
        let file = try read(
            """
            camera: { connect: run/bot.sock, pre-processors: [{ connect: f.sock, required: true }] }
            microphone: { connect: "run/bot.sock#Voice", allow: { control: true } }
            shares: { wall: { connect: /s } }
            outputs: [{ connect: run/bot.sock, tracks: [participant *] }, { y4m: { track: camera } }]
            call: { connect: c.sock }
            """)
        let all = file.configuration.plugins.map { ("\($0.address)", $0.plugin.connect) }
        #expect(
            Dictionary(uniqueKeysWithValues: all) == [
                "camera": "/sessions/run/bot.sock", "camera.pre-processors[0]": "/sessions/f.sock",
                "microphone": "/sessions/run/bot.sock#Voice", "shares.wall": "/s",
                "outputs[0]": "/sessions/run/bot.sock", "call": "/sessions/c.sock",
            ])
        let argument = try read("camera: { plugin: A }", overrides: [.set("share.connect=/s")])
        #expect(argument.configuration.slots[.share]?.plugin.connect == "/s")
    }

    /// 108 bytes hold a path of 107 and its NUL; here including "/sessions/".
    @Test(
        arguments: [
            (String(repeating: "x", count: 97), nil), (String(repeating: "x", count: 98), 108),
            (String(repeating: "ö", count: 48), nil), (String(repeating: "ö", count: 49), 108),
            ("/" + String(repeating: "x", count: 106), nil),
            ("/" + String(repeating: "x", count: 107), 108),
        ] as [(String, Int?)])
    func `a socket's path may have at most 107 bytes`(path: String, bytes: Int?) {
        let expected = bytes.map {
            [
                "1:19: share.connect: the path of a socket may have 107 bytes, and from / on "
                    + "this one has \($0). Name one in a folder nearer to /, such as "
                    + "/run/greenroom.sock."
            ]
        }
        #expect(faults("share: { connect: \(path) }") == expected ?? [])
    }
}
