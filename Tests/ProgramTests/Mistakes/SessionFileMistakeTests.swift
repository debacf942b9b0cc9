import SessionTestSupport
import TestSupport
import Testing

/// Mistakes in session files that need no plugin to be found; `GreenroomConfigTests` has each
/// variant of them, in process.
@Suite(.ownThreads) struct SessionFileMistakeTests {
    static let mistakes = [
        Mistake(
            "camera: { plugin: ColorBars }\noutptus: []",
            #"s.yaml:2:1: outptus: unknown key. Did you mean "outputs"?"#),
        Mistake(
            "camera: { plugin: ColorBars }\nduration: 10s",
            #"s.yaml:2:1: duration: unknown key. It goes under "session"."#),
        Mistake(
            "camera: { plugin: ColorBars, pattern: grey }",
            #"s.yaml:1:30: camera.pattern: unknown key. A setting of the plugin goes under "settings"; "#
                + #"other keys here are "plugin", "connect", "python", "on-failure", "callback-deadline", "#
                + #""isolation", "sandbox", "memory-limit", "allow", "start-deadline", "pre-processors"."#
        ),
        Mistake(
            "camera: ColorBars",
            #"s.yaml:1:9: camera: needs a section with the key "plugin", found the text "ColorBars"."#
        ),
        Mistake(
            "camera: {}",
            #"s.yaml:1:9: camera: needs one of the keys "plugin", "connect". Add one, such as plugin: ColorBars."#
        ),
        Mistake(
            "session: { duration: 10s }",
            #"s.yaml:1:1: needs at least one of the keys "camera", "microphone", "share", "stage", "cameras", "microphones", "shares", "stages", "media", "call". Add one."#
        ),
        Mistake(
            "", ["check", "text"], 65,
            "text:1:1: needs a section with camera, microphone, share, stage, cameras, microphones, shares, stages, media or call, found the text "
                + "\"Dear host,\"."),
        Mistake(
            "camera:\n\tplugin: ColorBars",
            "s.yaml:2:1: a tab: YAML indents with spaces. Replace it."),
        Mistake(
            "camera: { plugin: ColorBars\nsession: {}",
            #"s.yaml:2:8: the section that begins with "{" needs a "," or its "}" before this."#),
        Mistake(
            "camera: { plugin: ColorBars, plugin: Y4MFile }",
            "s.yaml:1:30: camera.plugin: duplicate key: the first is in line 1. Keep one."),
        Mistake(
            "camera: { plugin: ColorBars }\nsession: { duration: 10 }",
            "s.yaml:2:22: session.duration: needs a time such as 10s, 500ms, 2m or 1h30m, from 1ms to "
                + "8760h, found the number 10. Write 10s."),
        Mistake(
            "camera: { plugin: ColorBars }\nsession: { maximum: 1280x720 }",
            "s.yaml:2:21: session.maximum: needs a size and a frame rate such as 1280x720@30 or "
                + #"1280x720@30000/1001, found the text "1280x720"."#),
        Mistake(
            "camera: { plugin: ColorBars }\nsession: { table: [640x360@30, 640x360@15] }",
            "s.yaml:2:32: session.table[1]: duplicate size 640x360. Keep the one with the highest rate: "
                + "it includes the lower ones."),
        Mistake(
            "camera: { plugin: ColorBars }\nsession: { clock: virtual }",
            "s.yaml:2:19: session.clock: the virtual clock needs a duration; without one the "
                + #"session runs forever. Add one to "session", or --duration 10s."#),
        Mistake(
            "camera: { plugin: ColorBars, on-failure: retry }",
            #"s.yaml:1:42: camera.on-failure: needs one of restart, off, end, found the text "retry"."#
        ),
        Mistake(
            "camera: { plugin: ColorBars, isolation: process, memory-limit: 256 }",
            "s.yaml:1:64: camera.memory-limit: needs an amount of memory such as 256 MB or 1.5 GB, from "
                + "16 MB to 64 GB, found the number 256. Write 256 MB."),
        Mistake(
            "camera: { plugin: ColorBars, isolation: process, allow: { devices: [video0] } }",
            "s.yaml:1:69: camera.allow.devices[0]: needs the path of a device below /dev, such as "
                + #"/dev/video0, found the text "video0". Write /dev/video0."#),
        Mistake(
            "camera: { plugin: ColorBars }\ntimeline: [{ at: 3s, mute: }]",
            #"s.yaml:2:22: timeline[0].mute: unknown key. Write "do: mute"."#),
        Mistake(
            "camera: { plugin: ColorBars }\ntimeline: [{ at: 3s, do: stop camra }]",
            "s.yaml:2:26: timeline[0].do: needs one of stop camera, start camera, mute, unmute, pause "
                + "share, resume share, stop stage, start stage, recording pause, recording resume, "
                + "replay save, ceiling 640x360@15, "
                + "share-ceiling 1280x720@5, stage-ceiling 1280x720@15, one of them with a name, "
                + "such as stop camera.desk, ceiling.desk 640x360@15, found the text "
                + #""stop camra". Did you mean "stop camera"?"#),
        Mistake(
            "camera: { plugin: ColorBars }\ntimeline: [{ at: 3s, do: mute }]",
            "s.yaml:2:12: timeline[0]: the session has no microphone to mute. Add one, or remove the "
                + "entry."),
        Mistake(
            "camera: { plugin: ColorBars }\ntimeline: [{ at: 3s, set: session.maximum=640x360@15 }]",
            #"s.yaml:2:27: timeline[0].set: "session.maximum" is not a setting of a plugin, and nothing "#
                + "else can be set while the session runs. Examples of paths: camera.settings.pattern, "
                + "camera.pre-processors[0].settings.opacity, share.audio.settings.level."),
        Mistake(
            "share: { connect: s.sock, isolation: process }",
            "s.yaml:1:27: share.isolation: applies only to plugins that the host starts, and a program "
                + "connects to this socket. Remove it, or name a plugin instead of the socket."),
    ]

    @Test(arguments: mistakes)
    func `a mistake in a session file has one line with place, rule and fix`(mistake: Mistake)
        throws
    {
        try mistake.expectItsLine()
    }
}
