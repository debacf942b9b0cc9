import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// What `check` and `run` say of a session that can't work on this machine as it is now.
@Suite(.ownThreads) struct CheckWarningTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func check(_ text: String) throws -> Finished {
        let file = try folder.write("s.yaml", text)
        let run = try Greenroom.run("check", file)
        #expect(run.exit == .code(0), "\(run)")
        return run
    }

    /// The lines of a check that ends with an exit code, as `run` would.
    private func refusal(of text: String, _ code: Int32 = 65) throws -> String {
        let run = try Greenroom.start(["check", try folder.write("s.yaml", text)]).wait()
        #expect(run.exit == .code(code) && !run.text.contains(": fine"), "\(run)")
        return run.standardError
    }

    @Test
    func `check refuses a missing media file, and warns of a session without outputs`() throws {
        let lines = try refusal(
            of: "microphone: { plugin: WaveFile, settings: { path: none.wav } }")
        #expect(
            lines.contains(
                "s.yaml:1:51: microphone.settings.path: \(folder("none.wav")): no such file. Check "
                    + "the path"), "\(lines)")
        #expect(lines.contains("warning: outputs: no outputs: nothing is recorded"), "\(lines)")
    }

    // MARK: Plugins that fail

    /// A library in C with one plugin, whose create or initialize does what the text says.
    func library(
        kind: String = "GR_KIND_VIDEO_SOURCE", create: String = "", initialize: String = ""
    ) throws -> String {
        let source = try folder.write(
            "fails.c",
            """
            #include <greenroom/plugin.h>
            #include <unistd.h>
            static const gr_host *host;
            static gr_instance me;
            static const gr_descriptor d = {
                .struct_size = sizeof d, .kind = \(kind), .id = "org.example.fails",
                .name = "Fails", .version = "1.0.0", .summary = "Fails"};
            static const gr_descriptor *at(uint32_t index) { return (void)index, &d; }
            static void nothing(void *self) { (void)self; }
            static gr_status start(void *self) { return (void)self, GR_STATUS_OK; }
            static gr_status initialize(void *self, const gr_initialize *in) {
              (void)self, (void)in;
              \(initialize)
              return GR_STATUS_OK;
            }
            static gr_plugin plugin = {
                .struct_size = sizeof plugin, .destroy = nothing, .initialize = initialize,
                .start_send = start, .stop_send = nothing, .uninitialize = nothing};
            static gr_status create(uint32_t index, const gr_create *in, const gr_plugin **made) {
              (void)index;
              host = in->host;
              me = in->instance;
              *made = &plugin;
              \(create)
              return GR_STATUS_OK;
            }
            static const gr_entry entry = {
                .struct_size = sizeof entry, .abi_major = GR_ABI_MAJOR, .abi_minor = GR_ABI_MINOR,
                .plugin_count = 1, .descriptor = at, .create = create};
            GR_EXPORT const gr_entry *greenroom_plugin_entry(void);
            const gr_entry *greenroom_plugin_entry(void) { return &entry; }
            """)
        let library = folder("fails.so")
        let run = try ChildProcess.run(
            "cc",
            ["-D_GNU_SOURCE", "-shared", "-fPIC", "-I", Checkout.include, source, "-o", library])
        guard run.exit == .code(0) else { throw Failure("\(run)") }
        return library
    }

    @Test func `a plugin that always fails or never returns ends a check as it ends a session`()
        throws
    {
        let text = #"host->set_error(me, "no lens");"#
        for (create, initialize, code, words) in [
            ("\(text) return GR_STATUS_FAILED;", "", 69, "create failed (FAILED): no lens"),
            ("", "\(text) return GR_STATUS_FAILED;", 69, "initialize failed (FAILED): no lens"),
            ("for (;;) pause();", "", 69, "create has not returned after 0.5 s"),
            ("", "for (;;) pause();", 69, "initialize has not returned after 0.5 s"),
            ("_exit(3);", "", 69, "create"),
            ("plugin.struct_size = 0;", "", 65, "struct_size is 0"),
            ("plugin.stop_send = 0;", "", 65, "stop_send is NULL"),
        ] as [(String, String, Int32, String)] {
            let library = try self.library(create: create, initialize: initialize)
            for place in ["process", "host"] {
                let lines = try refusal(
                    of: """
                        session: { callback-deadline: 500ms }
                        camera: { plugin: \(library), isolation: \(place) }
                        outputs: [{ y4m: "-" }]
                        """, code)
                #expect(lines.contains("s.yaml:2:9: camera: "), "\(lines)")
                #expect(lines.contains(words), "\(lines)")
            }
        }
    }

    @Test func `a plugin that the session can miss is a warning`() throws {
        let fails = try self.library(create: "return GR_STATUS_FAILED;")
        let off = try check(
            """
            camera: { plugin: \(fails), on-failure: off }
            share: { plugin: ColorBarsShare }
            """)
        #expect(off.text.contains("warning: camera: create failed (FAILED)"), "\(off.text)")
        #expect(off.text.contains("The session continues without it."), "\(off.text)")
    }

    @Test func `a plugin whose device is missing ends a check with the code of a run`() throws {
        let away = try self.library(
            initialize: #"host->set_error(me, "no camera"); return GR_STATUS_UNAVAILABLE;"#)
        for (place, duration, code) in [
            // The host restarts the plugin until the session ends, or until no restart is left.
            ("process", 1, 66), ("process", 40, 69), ("host", 1, 69),
        ] as [(String, Int, Int32)] {
            let text = """
                session: { maximum: 320x180@15, duration: \(duration)s, clock: virtual }
                camera: { plugin: \(away), isolation: \(place) }
                outputs: [{ plugin: FrameFolder, settings: { folder: frames } }]
                """
            let lines = try refusal(of: text, code)
            #expect(
                lines.contains("camera: initialize failed (UNAVAILABLE): no camera"), "\(lines)")
            let run = try Greenroom.start(["run", folder("s.yaml")]).wait()
            #expect(run.exit == .code(code), "\(place), \(duration) s: \(run)")
        }
    }

    @Test func `a filter that restarts until the end fails a check as it fails a run`() throws {
        let fails = try self.library(
            kind: "GR_KIND_PRE_PROCESSOR", create: "return GR_STATUS_FAILED;")
        for (reaction, code) in [("restart", 66), ("off", 0)] as [(String, Int32)] {
            let file = try folder.write(
                "s.yaml",
                """
                session: { maximum: 320x180@15, duration: 1s, clock: virtual }
                camera:
                  plugin: ColorBars
                  pre-processors: [{ plugin: \(fails), isolation: process, on-failure: \(reaction) }]
                outputs: [{ plugin: FrameFolder, settings: { folder: \(reaction) } }]
                """)
            for command in ["check", "run"] {
                let run = try Greenroom.start([command, file]).wait()
                #expect(run.exit == .code(code), "\(run)")
            }
        }
    }

    @Test func `an isolated screen without its grant is refused`() throws {
        let lines = try refusal(of: "share: { plugin: Screen, isolation: process }", 69)
        #expect(lines.contains("share: initialize failed (UNAVAILABLE)"), "\(lines)")
        #expect(lines.contains("Add allow: {display: true}"), "\(lines)")
    }

    @Test func `check refuses an isolated output without a grant for its file`()
        throws
    {
        mkdir(folder("images"), 0o755)
        for (output, place, grant) in [
            ("plugin: FrameFolder, settings: { folder: images }", "folder", "images"),
            ("plugin: FrameFolder, settings: { folder: new/images }", "folder", ""),
            ("plugin: SpeakerFile, settings: { path: images/a.wav }", "path", "images"),
            ("plugin: Recorder, settings: { file: images/a.mkv }", "file", "images"),
        ] {
            let text = """
                session: { maximum: 320x180@30, duration: 1s }
                camera: { plugin: ColorBars }
                microphone: { plugin: Tone }
                outputs: [{ \(output), isolation: process
                """
            let granted = grant.isEmpty ? folder.path : folder(grant)
            let lines = try refusal(of: text + " }]", 74)
            #expect(
                lines.contains("outputs[0].settings.\(place): ")
                    && lines.contains("Add allow: {write: [\(granted)]}."), "\(lines)")
            _ = try check(text + ", allow: { write: [\(granted)] } }]")
        }
    }

    @Test func `wrong keys and the plugins' wrong settings are reported together`() throws {
        let lines = try refusal(
            of: """
                camera: { plugin: ColorBars, settings: { pattern: gray, sped: 1 } }
                microphone: { plugin: Tone, settings: { level: [1] } }
                filter: 3
                outputs: [{ plugin: FrameFolder, settings: { folder: { a: b } } }, { plugin: Gone }]
                """)
        for place in [
            "1:51: camera.settings.pattern: ", "1:57: camera.settings.sped: ",
            "2:48: microphone.settings.level: ", "3:1: filter: ",
            "4:54: outputs[0].settings.folder: ", "4:78: outputs[1].plugin: ", "6 faults in",
        ] {
            #expect(lines.contains(place), "\(place)\n\(lines)")
        }
    }

    @Test func `secrets are not printed`() throws {
        try folder.write("token", "hidden-viewer-token\n")
        let file = try folder.write(
            "s.yaml",
            """
            outputs: [record: x.mkv]
            call:
              plugin: WebRoom
              settings:
                viewer-token-file: token
                guest-token: hidden-guest-token
                turn: turn:turn.example
                turn-secret: hidden-turn-secret
                publish: https://example.com/hidden-path
                publish-token: hidden-publish-token
            """)
        for arguments in [["check", file], ["check", "--json", file]] {
            let run = try Greenroom.start(arguments).wait()
            #expect(run.exit == .code(0), "\(run)")
            #expect(run.text.contains("(secret)"), "\(run)")
            #expect(!run.text.contains("hidden") && !run.standardError.contains("hidden"), "\(run)")
        }
        let broken = try folder.write(
            "b.yaml", "call: { plugin: WebRoom, settings: { viewer-token: [hidden-token] } }")
        for arguments in [
            ["check", broken],
            ["check", file, "--set", "call.settings.viewer-token=hidden-token"],
            ["check", file, "--set", "call.settings.turn-secret={hidden-token: 1}"],
        ] {
            let run = try Greenroom.start(arguments).wait()
            #expect(!(run.text + run.standardError).contains("hidden-token"), "\(run)")
        }
        let shown = try Greenroom.start([
            "check", file, "--set", "call.settings.operator-token=hidden-token-123456",
        ]).wait()
        #expect(shown.exit == .code(64), "\(shown)")
        #expect(
            shown.standardError.contains(
                "Set call.settings.operator-token-file to a file, credential:NAME or environment:NAME."
            ),
            "\(shown)")
    }

    @Test func `the control socket of a session is refused, and powerful sockets get a warning`()
        throws
    {
        func session(_ socket: String) -> String {
            """
            camera: { plugin: ColorBars, isolation: process, allow: { connect: ['\(socket)'] } }
            outputs: [record: x.mkv]
            """
        }
        for socket in [
            "/run/podman/podman.sock", "/run/dbus/system_bus_socket", "/tmp/.X11-unix/X0",
            "/run/docker.sock",
        ] {
            let run = try check(session(socket))
            #expect(run.text.contains("connect[0]: \(socket): "), "\(run)")
            #expect(run.text.contains("only to a plugin that you trust"), "\(run)")
        }
        let file = try folder.write("c.yaml", session("/run/user/1/greenroom/a.12.socket"))
        let run = try Greenroom.run("check", file)
        #expect(run.exit == .code(65), "\(run)")
        #expect("\(run)".contains("a.12.socket controls a session."), "\(run)")
        // A socket has one name, unless somebody hides a session's.
        let server = try ChildProcess(
            "python3",
            [
                "-c", "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])",
                folder("own.sock"),
            ])
        #expect(server.wait().exit == .code(0))
        _ = try check(session(folder("own.sock")))
        #expect(link(folder("own.sock"), folder("other.sock")) == 0)
        let lines = try refusal(of: session(folder("other.sock")))
        #expect(lines.contains("connect[0]: \(folder("other.sock")) has another name"), "\(lines)")
    }

    @Test func `a secret and a key that every user can read get a warning`() throws {
        let text = """
            outputs: [record: x.mkv]
            call: { plugin: WebRoom, settings: { viewer-token-file: token } }
            """
        let warning = "\(folder("token")): every user of this machine can read it"
        for (mode, isWarned) in [(0o644, true), (0o600, false)] as [(mode_t, Bool)] {
            try folder.write("token", "hidden-viewer-token")
            try #require(chmod(folder("token"), mode) == 0)
            #expect(try check(text).text.contains(warning) == isWarned)
        }
    }

    @Test func `check reports each setting that a plugin refuses with its line`() throws {
        try folder.write("film.mp4", [0, 0, 0, 24] + Array("ftypmp42".utf8))
        try folder.write("text.wav", "no audio")
        mkdir(folder("empty"), 0o755)
        #expect(mkfifo(folder("pipe.y4m"), 0o600) == 0)
        let share = "share: { plugin: Slides, settings: { path: "
        let command = "outputs: [{ plugin: Command, settings: { command: \"ffmpeg -i -\" } }]"
        for (text, words) in [
            (
                "camera: { plugin: Y4MFile, settings: { path: film.mp4 } }",
                "1:46: camera.settings.path: \(folder("film.mp4")), byte 0: a Y4M file "
                    + "begins with YUV4MPEG2; convert it"
            ),
            (
                "camera: { plugin: Y4MFile, settings: { path: pipe.y4m } }",
                "1:46: camera.settings.path: \(folder("pipe.y4m"))"
            ),
            (
                "camera: { plugin: Y4MFile, settings: { path: empty } }",
                "1:46: camera.settings.path: \(folder("empty"))"
            ),
            (
                "microphone: { plugin: WaveFile, settings: { path: text.wav } }",
                "1:51: microphone.settings.path: \(folder("text.wav")): Format not recognised"
            ),
            (
                "\(share)none } }",
                "1:44: share.settings.path: \(folder("none")): no such file"
            ),
            (
                "\(share)empty } }",
                "1:44: share.settings.path: \(folder("empty")): the folder has no .png"
            ),
            (
                "camera: { plugin: ColorBars }\n\(command)",
                "2:51: outputs[0].settings.command: command: \"ffmpeg -i -\" names one program"
            ),
        ] {
            let lines = try refusal(of: text)
            #expect(lines.contains("s.yaml:\(words)"), "\(lines)")
            let refusals = lines.split(separator: "\n").filter { $0.contains(".settings") }
            #expect(refusals.count == 1, "reported once:\n\(lines)")
        }
    }

    @Test func `check refuses a file of unknown format, and warns of other unusable outputs`()
        throws
    {
        symlink("/etc/passwd", folder("link.wav"))
        #expect(mkfifo(folder("pipe.mkv"), 0o600) == 0)
        mkdir(folder("folder.mkv"), 0o755)
        for name in ["old.mkv", "talk-001.mkv"] { try folder.write(name, "") }
        func speaker(_ path: String) -> String {
            "plugin: SpeakerFile, settings: { path: \(path) }"
        }
        func recorder(_ settings: String) -> String {
            "plugin: Recorder, settings: { file: \(settings) }"
        }
        func camera(_ device: String) -> String {
            "plugin: VirtualCamera, settings: { device: \(device) }"
        }
        for (output, column, place, words) in [
            (speaker("link.wav"), 52, ".path: \(folder("link.wav"))", "is a symbolic link"),
            (
                speaker("made.mp3"), 52, ".path: \(folder("made.mp3"))",
                "the name has no known extension; end it with .wav or .flac"
            ),
            (recorder("pipe.mkv"), 49, ".file: \(folder("pipe.mkv"))", "is a named pipe"),
            (
                recorder("folder.mkv, overwrite: true"), 49, ".file: \(folder("folder.mkv"))",
                "is a folder"
            ),
            (
                recorder("old.mkv"), 49, ".file: \(folder("old.mkv"))",
                "already exists: remove it, or name another file, or set overwrite: true"
            ),
            (
                recorder("talk.mkv, segment-seconds: 5"), 49, ".file: \(folder("talk-001.mkv"))",
                "already exists"
            ),
            (
                recorder("made.avi"), 49, ".file: \(folder("made.avi"))",
                "the name has no known extension; end it with .mkv, .webm or .mp4"
            ),
            (camera("/dev/video250"), 56, ".device: /dev/video250", "no such device"),
            (camera("/dev/null"), 56, ".device: /dev/null", "not a video device"),
        ] {
            let text = """
                camera: { plugin: ColorBars }
                microphone: { plugin: Tone }
                outputs: [{ \(output) }]
                """
            // Without the output, the session continues; with a wrong setting, it does not start.
            let isError = words.contains("no known extension")
            let lines = try isError ? refusal(of: text) : check(text).text
            let kind = isError ? "" : "warning: "
            #expect(
                lines.contains("s.yaml:3:\(column): \(kind)outputs[0].settings\(place): \(words)"),
                "\(lines)")
        }
    }
}
