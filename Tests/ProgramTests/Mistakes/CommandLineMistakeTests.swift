import TestSupport
import Testing

/// Mistakes of command lines.
@Suite(.ownThreads) struct CommandLineMistakeTests {
    static let mistakes = [
        // --set
        Mistake(
            ["check", "s.yaml", "--set", "camera"], 64,
            "--set camera: needs PATH=VALUE, such as --set camera.settings.pattern=grey."),
        Mistake(
            ["check", "s.yaml", "--set", "camera.setings.pattern=grey"], 64,
            "--set camera.setings.pattern=grey: camera.setings: unknown key. Did you mean "
                + "\"settings\"?"),
        Mistake(
            ["check", "s.yaml", "--set", "camera.settings.patern=grey"], 64,
            "--set camera.settings.patern=grey: camera.settings.patern: ColorBars has no such setting. "
                + "Its settings: pattern, format, range, matrix, counter, ball, speed. Did you mean "
                + "\"pattern\"?"),
        Mistake(
            ["check", "s.yaml", "--set", "outputs[3].record=x"], 64,
            "--set outputs[3].record=x: outputs: has 0 entries. Write [0] to add one."),
        Mistake(
            ["check", "s.yaml", "--set", "camera.plugin.x=1"], 64,
            "--set camera.plugin.x=1: camera.plugin: has no key \"x\": it is the text "
                + "\"ColorBars\"."),
        Mistake(
            ["check", "s.yaml", "--set", "camera..plugin=x"], 64,
            "--set camera..plugin=x: needs PATH=VALUE, such as --set camera.settings.pattern=grey."),

        // Values and files
        Mistake(
            ["run", "s.yaml", "--duration", "5"], 64,
            "--duration 5: session.duration: needs a time such as 10s, 500ms, 2m or 1h30m, from 1ms to "
                + "8760h, found the number 5. Write 5s."),
        Mistake(
            ["run", "s.yaml", "--virtual-clock"], 64,
            "--virtual-clock: session.clock: the virtual clock needs a duration; without one the "
                + "session runs forever. Add one to \"session\", or --duration 10s."),
        Mistake(
            ["run", "s.yaml", "--durration", "5s"], 64,
            "Error: Unknown option '--durration'. Did you mean '--duration'?"),
        Mistake(["run", "gone.yaml"], 65, "greenroom: gone.yaml: No such file or directory"),
        Mistake(["run"], 64, "Error: Missing expected argument '<file>'"),

        // validate
        Mistake(["validate"], 64, "Error: Name a plugin: greenroom validate ./libMyCamera.so"),
        Mistake(
            ["validate", "./gone.so"], 65,
            "greenroom: ./gone.so: No such file or directory. Name the library that was built."),
        Mistake(
            ["validate", "ColorBars", "--only", "lifecycel"], 64,
            "greenroom: --only lifecycel: unknown check or group. Did you mean "
                + "\"lifecycle\"? greenroom validate --list shows all."),
        Mistake(
            ["validate", "ColorBars", "--only", "audio"], 64,
            "greenroom: PRODUCTS/libColorBars.so: none of these checks applies to a video source. "
                + "greenroom validate --list shows the kinds of each."),
        Mistake(
            ["validate", "ColorBars", "--set", "pattern"], 64,
            "greenroom: --set pattern: needs NAME=VALUE, such as --set frequency=440."),

        // preview
        Mistake(
            ["preview", "ColorBars", "--maximum", "1280x720"], 64,
            "--maximum 1280x720: needs a size and a frame rate such as 1280x720@30 or "
                + "1280x720@30000/1001, found the text \"1280x720\"."),
        Mistake(
            ["preview", "ColorBars", "--snapshot", "empty/"], 64,
            "greenroom: --snapshot empty/: not a file name. Write one, such as now.png."),
        Mistake(
            ["preview", "ColorBars", "--snapshot", "gone/now.png"], 74,
            "greenroom: --snapshot gone/now.png: can't create a file in gone/: No such file or "
                + "directory. Name a file in a writable folder."),

        // new
        Mistake(
            ["new", "camera", "1st"], 64,
            "greenroom: the name \"1st\": a plugin's name is of a-z, A-Z, 0-9 and '-', and begins with "
                + "a letter, such as my-camera"),
        Mistake(
            ["new", "camera", "empty"], 64,
            "greenroom: empty already exists: choose another name, or move it away"),
    ]

    @Test(arguments: mistakes)
    func `a mistake of a command line has one line with place, rule and fix`(mistake: Mistake)
        throws
    {
        try mistake.expectItsLine()
    }
}
