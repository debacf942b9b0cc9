import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension RecorderTests {
    @Test func `each format and codec has every frame and sample, in its time`() throws {
        let files = [
            ("a.mkv", "", ["vp8", "vp8", "opus"]),
            ("a.webm", "video: vp9", ["vp9", "vp9", "opus"]),
            ("a.mp4", "", ["h264", "h264", "aac"]),
            ("b.mp4", "audio: opus", ["h264", "h264", "opus"]),
            ("b.MKV", "video: h264, audio: aac", ["h264", "h264", "aac"]),
        ]
        let session = try session(
            files.map { Self.output("file: new/\($0.0), \($0.1)") })
        let run = try self.run(session)
        for (name, _, codecs) in files {
            let file = try RecordedFile(session.folder("new/\(name)"))
            #expect(file.streams.map(\.codec) == codecs)
            #expect(file.streams.map(\.name) == ["camera", "share", "mix"])
            #expect(file.streams.map(\.isDefault) == [true, false, true])
            #expect(abs((file.duration ?? 0) - 3) < 0.030, "\(name): \(file.duration ?? -1)")
            for video in file.streams.prefix(2) {
                #expect(video.times.count == 45, "\(name)")
                #expect(abs(video.times[0]) < 0.001 && abs(video.end - 3) < 0.002, "\(name)")
            }
            let audio = file.streams[2]
            // Matroska says exactly how much of Opus is sound.
            if codecs[2] == "opus", name == "a.mkv" || name == "a.webm" {
                #expect(audio.samples == 3 * 48_000, "\(name)")
            }
            #expect(abs(audio.end - 3) < 0.030, "\(name): \(audio.end)")
            try file.play()
        }
        #expect(run.standardError.contains("files 1, seconds 3"), "\(run)")
    }

    @Test(arguments: [false, true])
    func `audio and video stay in step, including after a pause`(isPaused: Bool) throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("FlashCamera", "ppm: 0, stamps: own"))
            microphone: \(try FileSession.hostile("BeepMic", "ppm: 0, stamps: own"))
            """, maximum: "16x16@30", duration: isPaused ? "9s" : "5s", clock: "virtual",
            timeline: isPaused
                ? ["at: 1513ms, do: recording pause", "at: 4491ms, do: recording resume"] : [],
            outputs:
                "[\(["a.mkv", "a.mp4"].map { Self.output("file: \($0)") }.joined(separator: ","))]"
        )
        let run = try self.run(session)
        for name in ["a.mkv", "a.mp4"] {
            let (picture, sound) = (session.folder("\(name).y4m"), session.folder("\(name).wav"))
            let decoded = try ChildProcess.run(
                "ffmpeg",
                [
                    "-v", "error", "-i", session.folder(name), "-map", "0:v", "-r", "30",
                    "-pix_fmt", "yuv420p", picture, "-map", "0:a", "-af",
                    "aresample=async=1:first_pts=0", sound,
                ])
            #expect(decoded.exit == .code(0), "\(decoded)")
            let delays = try FlashAndBeep(picture: picture, sound: sound).delays
            #expect(delays.count >= 3, "\(name)\n\(run)")
            // A frame, and half of one for what the flash is measured with.
            #expect((delays.map(abs).max() ?? 1) < 0.034, "\(name): \(delays)")
        }
    }

    @Test func `segments begin with key frames, and lose nothing between them`() throws {
        let session = try session(
            [
                Self.output("file: a.mkv, segment-seconds: 2"),
                Self.output("file: b.mp4, segment-seconds: 2, audio: opus"),
            ], duration: "7s")
        let run = try self.run(session)
        for (name, ending) in [("a", "mkv"), ("b", "mp4")] {
            let files = try Self.segments(name, ending, session)
            #expect(files.count == 4, "\(name)\n\(run)")
            for track in 0..<2 {
                let frames = files.map(\.streams[track].times.count)
                #expect(frames.reduce(0, +) == 7 * 15, "\(name): \(frames)")
                // A decoder shows nothing before a key frame.
                #expect(files.allSatisfy { abs($0.streams[track].times[0]) < 0.001 }, "\(name)")
            }
            if ending == "mkv" {
                let samples: Int = files.reduce(0) { $0 + $1.streams[2].samples }
                #expect(samples == 7 * 48_000, "\(name)")
            }
            let seconds: Double = files.reduce(0) { $0 + ($1.duration ?? 0) }
            #expect(abs(seconds - 7) < 0.1)
        }
        #expect(run.standardError.contains("files 4, seconds 7"), "\(run)")
    }

    @Test func `segments stay below the size limit, and lose nothing between them`() throws {
        let street = Checkout.root + "/.build/media/street.y4m"
        let session = try session(
            [Self.output("file: c.mkv, segment-megabytes: 1, video-bit-rate: 2000")],
            """
            camera: { plugin: Y4MFile, settings: { path: "\(street)" } }
            microphone: { plugin: Tone }
            """, maximum: "768x576@10", duration: "10s")
        let run = try self.run(session)
        let files = try Self.segments("c", "mkv", session)
        #expect(files.count > 1, "\(run)")
        #expect(try files.allSatisfy { try readFile($0.path).count <= 1_000_000 }, "\(run)")
        let frames = files.map(\.streams[0].times.count)
        #expect(frames.reduce(0, +) == 100, "\(frames)\n\(run)")
        let samples: Int = files.reduce(0) { $0 + $1.streams[1].samples }
        #expect(samples == 10 * 48_000)
    }

    @Test
    func `separate files have segments, and a track that opens again gets another file`()
        throws
    {
        let session = try session(
            [
                Self.output(
                    "file: talk.mkv, share: file, segment-seconds: 2, overwrite: true")
            ],
            Self.sources + """

                call: { plugin: LoopbackCall, settings: {
                  script: "Ana 0s-1500ms camera=160x90@10; Ana 2s camera=160x90@10; Ben 1s microphone" } }
                """, duration: "5s")
        // The second recording replaces the first.
        for _ in 0..<2 {
            let run = try self.run(session)
            for (name, lengths) in [
                ("talk", [2, 2, 1]), ("talk-share", [2, 2, 1]), ("talk-ana-camera", [1.5]),
                ("talk-ana-2-camera", [2, 1]), ("talk-ben-microphone", [2, 2]),
            ] {
                let files = try Self.segments(name, "mkv", session)
                #expect(files.count == lengths.count, "\(name)\n\(run)")
                for (file, length) in zip(files, lengths) {
                    #expect(abs((file.duration ?? 0) - length) < 0.1, "\(name)\n\(run)")
                    try file.play()
                }
            }
            let again = try Self.segments("talk-ana-2-camera", "mkv", session)
            #expect(again.map(\.streams[0].times.count).reduce(0, +) == 30, "\(run)")
        }
    }

    @Test
    func `a recorder that crashed continues in new files, including those of participants`()
        throws
    {
        let session = try session(
            [
                Self.output(
                    "file: talk.mkv, share: file",
                    "isolation: process, on-failure: restart, allow: { write: [.] }")
            ],
            Self.sources + """

                call: { plugin: LoopbackCall, settings: { script: "Ana 0s camera=160x90@10" } }
                """, duration: nil, clock: nil)
        let child = try session.start()
        let first = ["talk", "talk-share", "talk-ana-camera"].map { "\($0).mkv" }
        let second = ["talk-2", "talk-share-2", "talk-ana-camera-part-2"].map { "\($0).mkv" }
        #expect(Self.haveContent(first, in: session))
        let runner = try #require(Runners.all(ofHost: child.id).first)
        kill(runner, SIGKILL)
        #expect(
            child.waitForErrors(containing: "outputs[0]: back after"),
            "\(child.errorsSoFar)")
        #expect(Self.haveContent(second, in: session))
        child.signal(SIGINT)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        for file in first + second {
            let recorded = try RecordedFile(session.folder(file))
            #expect(Self.hasContent(recorded), "\(file)\n\(run)")
            try recorded.play()
        }
    }

    @Test func `a still share and black are recorded with few frames`() throws {
        let picture = Checkout.root + "/.build/media/slides/fruits.jpg"
        let session = try session(
            [Self.output("file: a.mkv, audio-tracks: separate")],
            """
            camera: { plugin: ColorBars }
            microphone: { plugin: Tone }
            share: { plugin: Slides, settings: { path: "\(picture)" } }
            """, duration: "12s",
            timeline: ["at: 1s, do: stop camera", "at: 11s, do: start camera"])
        let run = try self.run(session)
        let file = try RecordedFile(session.folder("a.mkv"))
        #expect(file.streams.map(\.name) == ["camera", "share", "microphone"])
        let camera = try file.stream("camera")
        // Ten seconds of black are four frames a second.
        #expect((60...80).contains(camera.times.count), "\(camera.times.count)")
        #expect(abs(camera.end - 12) < 0.002)
        #expect(try file.luma(0, at: 0.5) > 60)
        #expect(try file.luma(0, at: 6) < 20)
        #expect(try file.luma(0, at: 11.7) > 60)
        let share = try file.stream("share")
        #expect(share.times.count <= 49 && abs(share.end - 12) < 0.002, "\(share)")
        #expect(abs(try file.luma(1, at: 1) - file.luma(1, at: 11.4)) < 4)
        // The line of the log, with size and rate.
        let line = /a\.mkv: 10 s, \d+\.\d MB, now \d+\.\d Mbit\/s/
        #expect(run.standardError.contains(line), "\(run)")
    }

    @Test func `the share and the participants can have separate files`() throws {
        let session = try session(
            [
                Self.output(
                    "file: talk.mkv, share: file, participants: files, audio-tracks: separate")
            ],
            Self.sources + """

                call: { plugin: LoopbackCall, settings: {
                  script: "Ana 500ms-2s camera=160x90@10 microphone; Ben 1s share=160x90@5" } }
                """)
        let run = try self.run(session)
        for (name, tracks, seconds) in [
            ("talk", ["camera", "microphone", "incoming"], 3),
            ("talk-share", ["share", "share-audio"], 3),
            ("talk-ana-camera", ["ana-camera"], 1.5), ("talk-ben-share", ["ben-share"], 2),
            ("talk-ana-microphone", ["ana-microphone"], 1.5),
        ] as [(String, [String], Double)] {
            let file = try RecordedFile(session.folder("\(name).mkv"))
            #expect(file.streams.map(\.name) == tracks, "\(run)")
            #expect(abs((file.duration ?? 0) - seconds) < 0.25, "\(name): \(file.duration ?? -1)")
            try file.play()
        }
        #expect(run.standardError.contains("files 5"), "\(run)")
    }

    @Test(
        arguments: [
            (
                "file: a.webm, video: h264",
                "a.webm: a .webm can't have h264; choose another codec, or another ending"
            ),
            (
                "file: a.avi",
                "a.avi: the name has no known extension; end it with .mkv, .webm or .mp4"
            ),
        ])
    func `a file name without a usable format is a wrong setting`(
        settings: String, text: String
    ) throws {
        let session = try session([Self.output(settings)], duration: "1s")
        let run = try session.run()
        #expect(run.exit == .code(65), "\(run)")
        #expect(run.standardError.contains(": outputs[0].settings."), "\(run)")
        #expect(run.standardError.contains(text), "\(run)")
        #expect(!session.folder.has("a.webm") && !session.folder.has("a.avi"))
    }

    @Test func `an existing file is kept unless overwrite is set`() throws {
        let session = try session(
            [
                Self.output("file: kept.mkv"), Self.output("file: replaced.mkv, overwrite: true"),
                Self.output("file: link.mkv, overwrite: true"),
                Self.output("file: s.mkv, overwrite: true, segment-seconds: 2"),
            ], duration: "1s")
        for name in ["kept.mkv", "replaced.mkv", "target", "s-002.mkv", "s-003.mkv"] {
            try session.folder.write(name, "something")
        }
        _ = try ChildProcess.run("ln", ["-s", "target", session.folder("link.mkv")])
        let run = try session.run()
        for text in [
            "kept.mkv: already exists. Name another file, remove it, or set overwrite: true.",
            "link.mkv: is a link, and links are not followed. Name the file itself.",
        ] {
            #expect(run.standardError.contains(text), "\(text)\n\(run)")
        }
        #expect(
            run.standardError.contains(
                /outputs\[0\]: start-send failed \(UNAVAILABLE\): .*kept\.mkv/),
            "before anything runs: \(run)")
        for name in ["kept.mkv", "target"] {
            #expect(try readFile(session.folder(name)) == Array("something".utf8))
        }
        #expect(try RecordedFile(session.folder("replaced.mkv")).streams.count == 3)
        #expect(try RecordedFile(session.folder("s-001.mkv")).streams.count == 3)
        #expect(!session.folder.has("s-002.mkv") && !session.folder.has("s-003.mkv"))
    }

    @Test func `an isolated recorder does not record beside an existing file`() throws {
        let session = try session(
            [Self.output("file: kept.mkv", "isolation: process")], duration: "6s")
        try session.folder.write("kept.mkv", "something")
        _ = try ChildProcess.run("touch", ["-d", "2020-01-01", session.folder("kept.mkv")])
        let run = try session.run()
        #expect(run.standardError.contains("kept.mkv: already exists."), "\(run)")
        #expect(try readFile(session.folder("kept.mkv")) == Array("something".utf8))
        #expect(!session.folder.has("kept-2.mkv"), "\(run)")
    }

    @Test func `a recording without any disk space fails`() throws {
        let session = try session([Self.output("file: a.mkv")], duration: "1s")
        #expect(try Greenroom.run("check", session.file).exit == .code(0))
        // The text goes to a file, too.
        let child = try ChildProcess(
            "sh",
            [
                "-c",
                "(trap '' XFSZ; ulimit -f 0; \"$0\" run \"$1\"; echo \"exit $?\") 2>&1 | cat >&2",
                Checkout.greenroom, session.file,
            ], environment: Greenroom.environment)
        let run = child.wait()
        #expect(run.standardError.contains("exit 74"), "\(run)")
        #expect(!run.standardError.contains("recorded in"), "\(run)")
        #expect(run.standardError.contains("a.mkv: no room for it: File too large"), "\(run)")
    }

    @Test func `segments of a recording that still runs are not replaced`() throws {
        let long = try FileSession(
            "camera: { plugin: ColorBars }", maximum: "160x90@15", duration: nil,
            outputs: "[\(Self.output("file: s.mkv, segment-seconds: 1"))]")
        let child = try long.start()
        let file = long.folder("s.mkv")
        #expect(waitUntil { long.folder.has("s-003.mkv") })
        let other = try session(
            [Self.output("file: \"\(file)\", segment-seconds: 1, overwrite: true")],
            duration: "1s")
        let refused = try other.run()
        #expect(
            refused.standardError.contains(
                "s-001.mkv: another recording writes to this file. Name another file"),
            "\(refused)")
        child.signal(SIGINT)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        let files = try Self.segments("s", "mkv", long)
        let spans = files.map { $0.streams[0].end - ($0.streams[0].times.first ?? .infinity) }
        // All but the last one are whole.
        #expect(
            files.count >= 3 && spans.dropLast().allSatisfy { $0 > 0.9 }, "\(spans)\n\(run)")
        // Now that it has ended they may be.
        #expect(try other.run().exit == .code(0))
        #expect(long.folder.has("s-001.mkv") && !long.folder.has("s-002.mkv"))
    }

    @Test func `a recording on a full disk ends with a complete file`() throws {
        let session = try session(
            ["a.mkv", "a.mp4"].map { Self.output("file: \($0), audio-bit-rate: 510") }
                + [FileSession.bundled("FrameFolder", "folder: frames, every: 50")],
            "camera: { plugin: ColorBars }\nmicrophone: { plugin: Tone }", duration: "8s")
        // Looking for plugins needs larger files; what it finds is remembered.
        #expect(try Greenroom.run("check", session.file).exit == .code(0))
        // Files of at most 150 KB.
        let child = try ChildProcess(
            "sh",
            [
                "-c", "trap '' XFSZ; ulimit -f 300; exec \"$0\" run \"$1\"", Checkout.greenroom,
                session.file,
            ], environment: Greenroom.environment)
        let run = child.wait()
        for name in ["a.mkv", "a.mp4"] {
            let file = try RecordedFile(session.folder(name))
            let end = file.streams.map(\.end).min() ?? 0
            #expect(end > 0.4 && end < 7.5, "\(name): \(end)\n\(run)")
            try file.play()
            let lines = run.standardError.split(separator: "\n").filter {
                $0.contains("\(name): no room for more: File too large. The file ends here")
            }
            #expect(lines.count == 1, "\(run)")
        }
        // The summary does not call the end a restart.
        #expect(run.standardError.contains(" after its end"), "\(run)")
        #expect(!run.standardError.contains("while restarting"), "\(run)")
        // The session has gone on to its end.
        #expect(run.standardError.contains("stopping: the duration is over"), "\(run)")
        #expect(session.folder.has("frames/frame-000100.png"), "\(run)")
        #expect(run.exit == .code(0), "\(run)")
    }

    @Test(arguments: 0..<Nightly.value(50, byDay: 5))
    func `a recording that was killed plays to its last second`(round: Int) throws {
        let name = ["a.mkv", "a.mp4", "a.webm"][round % 3]
        // The other recording says how far the session was.
        let session = try FileSession(
            "camera: { plugin: ColorBars }\nmicrophone: { plugin: Tone }", maximum: "160x90@15",
            duration: nil, outputs: "[\(Self.output("file: \(name)")), { record: recording }]")
        let child = try session.start()
        #expect(child.waitForErrors(containing: "sending"))
        var random = SeededGenerator(seed: UInt64(round))
        let target = Double.random(in: 2.5...4, using: &random)
        #expect(
            waitUntil {
                var about = stat()
                return stat(session.recording + "/camera.wav", &about) == 0
                    && Double(about.st_size) / 192_000 >= target
            })
        child.signal(SIGKILL)
        let run = child.wait()
        let reached =
            Double(try WAVRecording(session.recording + "/camera.wav").frameCount) / 48_000
        let file = try RecordedFile(session.folder(name))
        for stream in file.streams {
            #expect(stream.end > reached - 1.5, "\(name): \(stream.end) of \(reached)\n\(run)")
        }
        try file.play()
    }

    /// Waits until files that are being written have content.
    private static func haveContent(
        _ files: [String], in session: FileSession
    ) -> Bool {
        waitUntil {
            let written = files.compactMap { try? RecordedFile(session.folder($0)) }
            return written.count == files.count && written.allSatisfy(hasContent)
        }
    }

    /// The files of a recording in segments.
    private static func segments(
        _ name: String, _ ending: String, _ session: FileSession
    ) throws -> [RecordedFile] {
        var files: [RecordedFile] = []
        while session.folder.has("\(name)-00\(files.count + 1).\(ending)") {
            files.append(try RecordedFile(session.folder("\(name)-00\(files.count + 1).\(ending)")))
        }
        return files
    }

    /// Whether each stream is longer than a moment.
    private static func hasContent(_ file: RecordedFile) -> Bool {
        file.streams.map(\.end).min() ?? 0 > 0.3
    }
}
