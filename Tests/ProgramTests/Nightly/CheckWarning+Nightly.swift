import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension CheckWarningTests {
    @Test func `check warns of a loudspeaker that ALSA does not know`() throws {
        let run = try check("microphone: { plugin: Tone }\noutputs: [{ loudspeaker: nowhere }]")
        #expect(
            run.text.contains(
                "s.yaml:2:11: warning: outputs[0]: Unknown PCM nowhere (snd_config_search_definition). "
                    + "No device has this name"), "\(run.text)")
    }

    @Test func `check accepts valid settings and leaves no file behind`() throws {
        let run = try check(
            """
            camera: { plugin: ColorBars, settings: { pattern: grey } }
            microphone: { plugin: Tone, settings: { frequency: 300 } }
            outputs:
              - plugin: Command
                settings: { command: [touch, made] }
              - plugin: SpeakerFile
                settings: { path: made.wav }
            """)
        #expect(run.text.contains("s.yaml: fine"), "\(run.text)")
        #expect(!folder.has("made") && !folder.has("made.wav"))
    }

    @Test func `check warns if PipeWire is not running`() throws {
        let file = try folder.write(
            "s.yaml", "camera: { plugin: ColorBars }\noutputs: [{ plugin: VirtualCamera }]")
        for (variables, words) in [
            (
                ["XDG_RUNTIME_DIR": folder.path],
                "\(folder.path)/pipewire-0: no PipeWire: No such file"
            ),
            (["XDG_RUNTIME_DIR": nil], "no PipeWire: XDG_RUNTIME_DIR is not set."),
        ] as [([String: String?], String)] {
            let unset: [String: String?] = ["PIPEWIRE_REMOTE": nil, "PIPEWIRE_RUNTIME_DIR": nil]
            let run = try Greenroom.run(
                "check", file, environment: variables.merging(unset) { first, _ in first })
            #expect(
                run.text.contains("s.yaml:2:11: warning: outputs[0]: \(words)"), "\(run.text)")
        }
    }

    @Test func `check warns of other files in the place of a recording`() throws {
        for name in ["link", "pipe", "busy"] { mkdir(folder(name), 0o755) }
        symlink("/etc/passwd", folder("link/camera.y4m"))
        #expect(mkfifo(folder("pipe/camera.y4m"), 0o600) == 0)
        #expect(mkfifo(folder("talk.mkv"), 0o600) == 0)
        let other = open(folder("busy"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        let run = try check(
            """
            camera: { plugin: ColorBars }
            outputs:
              - record: link
              - record: { folder: pipe, overwrite: true }
              - record: busy
              - record: talk.mkv
            """)
        for words in [
            "s.yaml:3:5: warning: outputs[0]: camera.y4m is a symbolic link",
            "s.yaml:4:5: warning: outputs[1]: camera.y4m is a named pipe",
            "s.yaml:5:5: warning: outputs[2]: another session records to this folder: process "
                + "\(getpid())",
            "s.yaml:6:5: warning: outputs[3]: \(folder("talk.mkv")): is a named pipe",
        ] {
            #expect(run.text.contains(words), "says nothing of \(words):\n\(run.text)")
        }
    }

    @Test func `check warns of grants that no plugin should have`() throws {
        mkdir(folder(".ssh"), 0o700)
        let run = try check(
            """
            camera:
              plugin: ColorBars
              isolation: process
              allow: { write: [/, /etc, none], read: [.ssh, /home] }
            outputs: [{ y4m: "-" }]
            """)
        for words in [
            "warning: camera.allow.write[0]: /: write access there controls the machine.",
            "warning: camera.allow.write[1]: /etc: write access there controls the machine.",
            "warning: camera.allow.write[2]: \(folder("none")): no such file",
            "warning: camera.allow.read[0]: \(folder(".ssh")): the path holds keys, passwords or private "
                + "data.",
            "warning: camera.allow.read[1]: /home: far more than a plugin needs.",
        ] {
            #expect(run.text.contains(words), "says nothing of \(words):\n\(run.text)")
        }
    }

    @Test func `check warns of a socket's path that is a file or in a missing folder`() throws {
        try folder.write("s.sock", "a file")
        let file = try check("share: { connect: s.sock }\noutputs: [{ y4m: { track: share } }]")
        #expect(
            file.text.contains(
                "warning: share.connect: the path is a file, not a socket."),
            "\(file.text)")
        let none = try check("share: { connect: a/s.sock }\noutputs: [{ y4m: { track: share } }]")
        #expect(none.text.contains("/a/: no such folder."), "\(none.text)")
    }

    @Test func `check warns of recordings that cannot be made`() throws {
        try folder.write("file", "no folder")
        try folder.write("old.mp4", "something")
        mkdir(folder("old"), 0o755)
        try folder.write("old/session.json", "{}")
        let run = try check(
            """
            camera: { plugin: ColorBars }
            outputs:
              - record: file/in
              - record: old
              - record: old.mp4
              - record: new.mp4
            """)
        for words in [
            "warning: outputs[0]: \(folder("file")): not a folder",
            "warning: outputs[1]: session.json already exists",
            "warning: outputs[2]: \(folder("old.mp4")): already exists",
        ] {
            #expect(run.text.contains(words), "says nothing of \(words):\n\(run.text)")
        }
        #expect(!run.text.contains("warning: outputs[3]"), "\(run.text)")
    }

    @Test
    func `a named pipe is refused as a session file, and standard input is accepted`() throws {
        #expect(mkfifo(folder("pipe"), 0o600) == 0)
        for command in ["check", "run"] {
            let child = try Greenroom.start([command, folder("pipe")])
            let run = child.wait()
            #expect(run.exit == .code(65), "\(run)")
            #expect(
                run.standardError.contains(
                    "pipe: is a pipe, and may never end. Name a file, or - for standard input"),
                "\(run)")
        }
        let file = try folder.write(
            "s.yaml", "camera: { plugin: ColorBars }\noutputs: [{ y4m: \"-\" }]")
        for name in ["-", "/dev/stdin"] {
            let run = try ChildProcess.run(
                "sh", ["-c", "cat \"$1\" | \"$0\" check \(name)", Checkout.greenroom, file])
            #expect(run.exit == .code(0) && run.text.contains(": fine"), "\(name) \(run)")
        }
    }

    @Test func `a library for another processor is reported as such`() throws {
        var bytes = try readFile(try TestPlugins.cCamera())
        let machine = bytes[18]
        for other in [183, 62] as [UInt8] where other != machine {
            bytes[18] = other
            let library = try folder.write("other.so", bytes)
            for place in ["host", "process"] {
                let file = try folder.write(
                    "s.yaml", "camera: { plugin: \"\(library)\", isolation: \(place) }")
                let run = try Greenroom.run("check", file)
                #expect(run.exit == .code(65), "\(run)")
                #expect(
                    run.standardError.contains("built for ")
                        && run.standardError.contains("Build it for this machine."), "\(run)")
                #expect(!run.standardError.contains("No such file"), "\(run)")
            }
        }
    }
}
