import SessionTestSupport
import TestSupport
import Testing

/// Mistakes that show only when the plugins are known: their names, kinds, settings and files.
@Suite(.ownThreads) struct PluginMistakeTests {
    private static let searched =
        "Searched: LIBRARIES, PRODUCTS; GREENROOM_PLUGIN_PATH adds folders. To name a file, write its "
        + "path with a slash."
    private static let unknownPCM =
        "nowhere: Unknown PCM nowhere (snd_pcm_open). No device has this name: `greenroom devices` "
        + "lists all devices. Your own names are defined in ~/.asoundrc, or in a file that "
        + "ALSA_CONFIG_PATH names and that begins with </usr/share/alsa/alsa.conf>."

    private static func run(_ session: String, _ exit: Int32, _ line: String) -> Mistake {
        Mistake(session, ["run", "s.yaml", "--duration", "100ms"], exit, line)
    }

    static let mistakes = [
        // Names and kinds
        Mistake(
            "camera: { plugin: ColourBars }",
            "s.yaml:1:19: camera.plugin: ColourBars: no video source of this name is installed. "
                + #"Installed: LIST. \#(searched) Did you mean "ColorBars"?"#
        ),
        Mistake(
            "camera: { plugin: text.so }",
            "s.yaml:1:19: camera.plugin: text.so: no video source of this name is installed. "
                + "Installed: LIST. \(searched)"),
        Mistake(
            "microphone: { plugin: ColorBars }",
            "s.yaml:1:23: microphone.plugin: needs a virtual mic, and ColorBars is a video source, "
                + #"which goes under "camera". greenroom plugins lists the plugins of each kind."#),
        Mistake(
            "camera: { plugin: Watermark }",
            "s.yaml:1:19: camera.plugin: needs a video source, and Watermark is a video pre-processor, "
                + #"which goes under "pre-processors" of camera or share or stage. greenroom plugins lists "#
                + "the plugins of each kind."
        ),
        Mistake(
            "camera: { plugin: ./libMine.so }",
            "s.yaml:1:19: camera.plugin: libMine.so: No such file or directory. Build it first, or "
                + "correct the path."),
        Mistake(
            "camera: { plugin: ./text.so }",
            "s.yaml:1:19: camera.plugin: text.so: not a shared library for this machine: file "
                + "too short. Build it here, with -shared."),
        Mistake(
            "camera: { plugin: ./empty }",
            "s.yaml:1:19: camera.plugin: empty: Is a directory. Name the shared library in it."),

        // Settings
        Mistake(
            "camera: { plugin: ColorBars, settings: { patern: grey } }",
            "s.yaml:1:42: camera.settings.patern: ColorBars has no such setting. Its settings: pattern, "
                + #"format, range, matrix, counter, ball, speed. Did you mean "pattern"?"#),
        Mistake(
            "camera: { plugin: ColorBars, settings: { pattern: gray } }",
            #"s.yaml:1:51: camera.settings.pattern: needs one of bars, grey, found "gray"."#),
        Mistake(
            "camera: { plugin: ColorBars, settings: { counter: 1 } }",
            "s.yaml:1:51: camera.settings.counter: needs true or false, found 1."),
        Mistake(
            "camera: { plugin: ColorBars, settings: { speed: fast } }",
            #"s.yaml:1:49: camera.settings.speed: needs a number, found "fast"."#),
        Mistake(
            "microphone: { plugin: Tone, settings: { frequency: 0 } }",
            "s.yaml:1:52: microphone.settings.frequency: 0 is out of bounds. Use 1 to 20000 Hz."),
        Mistake(
            "microphone: { plugin: Tone, settings: { rate: 44100.5 } }",
            "s.yaml:1:47: microphone.settings.rate: needs a whole number, found 44100.5."),
        Mistake(
            "camera: { plugin: Y4MFile }",
            "s.yaml:1:9: camera.settings.path: Y4MFile requires this setting (Y4M file). Add it."),
        Mistake(
            "microphone: { plugin: WaveFile, settings: { path: 5 } }",
            "s.yaml:1:51: microphone.settings.path: needs a path, found 5."),
        Mistake(
            "microphone: { plugin: WaveFile, settings: { path: [a, b] } }",
            "s.yaml:1:51: microphone.settings.path: needs one path without a line break. Rename the file, or "
                + "name one path instead of a list."),
        Mistake(
            "camera: { plugin: ColorBars }\ntimeline: [{ at: 1s, set: camera.settings.format=i420 }]",
            "s.yaml:2:12: timeline[0]: format of ColorBars (camera) is not live: it cannot change while "
                + "the plugin runs. Live settings: pattern, counter, ball, speed."),
        Mistake(
            "camera: { plugin: ColorBars, memory-limit: 50 MB }",
            "s.yaml:1:44: camera.memory-limit: applies only to a plugin in a separate process, and "
                + "a bundled plugin runs in the host's process by default. Write isolation: "
                + "process for the plugin, or remove this."),

        // Files and devices of plugins
        run(
            "camera: { plugin: Y4MFile, settings: { path: gone.y4m } }", 65,
            "camera: initialize failed (BAD_SETTING): gone.y4m: open failed: No such file or directory; "
                + "check the path; its folder must exist"),
        run(
            "microphone: { plugin: WaveFile, settings: { path: text.wav } }", 65,
            "microphone: initialize failed (BAD_SETTING): text.wav: Format not recognised. Convert it: "
                + "ffmpeg -i FILE -c:a pcm_s16le NEW.wav"),
        run(
            "share: { plugin: Slides, settings: { path: empty } }", 65,
            "share: initialize failed (BAD_SETTING): empty: the folder has no .png, .jpg or .jpeg; put "
                + "images there"),
        run(
            "camera: { plugin: ColorBars, pre-processors: [{ plugin: Watermark, "
                + "settings: { path: text.png } }] }", 65,
            "camera.pre-processors[0]: initialize failed (BAD_SETTING): text.png: the file is neither PNG "
                + "nor JPEG; name a .png or .jpg image, or convert the file to PNG"),
        run(
            "microphone: { plugin: AlsaMicrophone, settings: { device: nowhere } }", 65,
            "microphone: initialize failed (BAD_SETTING): \(unknownPCM)"),
        run(
            "share: { connect: gone/s.sock }", 65,
            "share: connect failed (BAD_SETTING): cannot open the folder: No such file or "
                + "directory. Make the folder, or name another one."),

        // Outputs
        Mistake(
            "camera: { plugin: ColorBars }\noutputs: [{ recrod: x }]",
            #"s.yaml:2:13: outputs[0].recrod: unknown key. Did you mean "record"?"#),
        Mistake(
            "camera: { plugin: ColorBars }\noutputs: [{ y4m: \"-\" }, { y4m: \"-\" }]",
            "s.yaml:2:25: outputs[1]: an earlier output already writes to standard output. Keep one."
        ),
        Mistake(
            "camera: { plugin: ColorBars }\noutputs: [{ record: x }, { record: x }]",
            "s.yaml:2:26: outputs[1]: an earlier output records to the same folder. Name another."),
        Mistake(
            "camera: { plugin: ColorBars }\noutputs: [{ y4m: { to: \"-\", track: share } }]",
            "s.yaml:2:11: outputs[0]: the session has no share. Add one, or choose another track."),
        Mistake(
            "camera: { plugin: ColorBars }\noutputs: [{ loudspeaker: default }]",
            "s.yaml:2:11: outputs[0]: the session has no audio. Add a microphone, or audio to the "
                + "share."),
        run(
            "camera: { plugin: ColorBars }\noutputs: [{ record: recorded }]", 74,
            "greenroom: recorded/camera.y4m: already exists. Record to another folder, remove the file, "
                + "or write overwrite: true."),
        run(
            "camera: { plugin: ColorBars }\noutputs: [{ record: text }]", 74,
            "greenroom: text/: cannot record here: Not a directory. Record to a writable folder."),
        run(
            "camera: { plugin: ColorBars }\noutputs: [{ record: /proc/x }]", 74,
            "greenroom: /proc/x/: cannot make this folder to record to: No such file or directory. "
                + "Record to a folder below a writable one."),
        run(
            "microphone: { plugin: Tone }\noutputs: [{ loudspeaker: nowhere }]", 74,
            "greenroom: loudspeaker \(unknownPCM)"),
    ]

    @Test(arguments: mistakes)
    func `a mistake about a plugin or an output has one line with place, rule and fix`(
        mistake: Mistake
    ) throws {
        try mistake.expectItsLine()
    }
}
