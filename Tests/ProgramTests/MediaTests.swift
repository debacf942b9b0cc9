import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Plays files that ffmpeg makes, in processes of their own on the virtual clock, and reads their burnt-in numbers
/// and beeps back.
@Suite(.ownThreads) struct MediaTests {
    /// A file with video and audio, and how far its codecs move the audio.
    struct Kind: CustomTestStringConvertible {
        var name: String
        var options: String
        /// Seconds that a beep may be away from its time: lossy codecs spread it.
        var tolerance = 0.02
        var testDescription: String { name }
    }

    static let kinds = [
        Kind(name: "h264.mp4", options: "-c:v libx264 -preset ultrafast -g 25 -bf 2 -c:a aac"),
        Kind(name: "b-frames.mp4", options: "-c:v libx264 -preset medium -bf 4 -c:a aac"),
        Kind(name: "hevc.mkv", options: "-c:v libx265 -x265-params log-level=0 -c:a libopus"),
        Kind(
            name: "10-bit.mkv",
            options: "-c:v libx265 -x265-params log-level=0 -pix_fmt yuv420p10le -c:a flac"),
        Kind(
            name: "av1.mp4",
            options: "-c:v libsvtav1 -preset 12 -svtav1-params log-level=0 -c:a libopus"),
        Kind(name: "vp8.webm", options: "-c:v libvpx -b:v 1M -deadline realtime -c:a libvorbis"),
        Kind(name: "vp9.webm", options: "-c:v libvpx-vp9 -b:v 1M -deadline realtime -c:a libopus"),
        Kind(name: "mpeg2.ts", options: "-c:v mpeg2video -q:v 3 -c:a mp2", tolerance: 0.03),
        Kind(
            name: "mpeg4.avi", options: "-c:v mpeg4 -q:v 3 -bf 0 -c:a pcm_s16le"),
        Kind(name: "prores.mov", options: "-c:v prores -c:a pcm_s24le"),
        Kind(name: "mjpeg.mov", options: "-c:v mjpeg -q:v 3 -pix_fmt yuvj422p -c:a alac"),
        Kind(name: "theora.ogv", options: "-c:v libtheora -q:v 8 -c:a libvorbis", tolerance: 0.03),
        Kind(name: "ffv1.mkv", options: "-c:v ffv1 -pix_fmt yuv444p -c:a pcm_s16le"),
        Kind(
            name: "flv1.flv", options: "-c:v flv -q:v 3 -ar 44100 -c:a libmp3lame", tolerance: 0.06),
        Kind(name: "wmv2.wmv", options: "-c:v wmv2 -q:v 3 -c:a wmav2", tolerance: 0.06),
        Kind(name: "rgb.mov", options: "-c:v qtrle -c:a ac3", tolerance: 0.01),
        Kind(
            name: "dnxhd.mxf",
            options:
                "-vf scale=1280:720:flags=neighbor -c:v dnxhd -b:v 90M -pix_fmt yuv422p -r 25 -c:a pcm_s16le"
        ),
        Kind(name: "raw.nut", options: "-c:v rawvideo -pix_fmt nv12 -c:a pcm_f32le"),
    ]

    private func session(
        _ file: String, seconds: Int = 5, settings: String = "", timeline: [String] = [],
        maximum: String = "320x180@30", more: String = ""
    ) throws -> (session: TestSession, run: Finished) {
        let session = try TestSession(
            "media: { file: \"\(file)\", settings: { \(settings) }\(more) }", maximum: maximum,
            duration: "\(seconds)s", clock: "virtual", table: "[320x180@30]", timeline: timeline,
            isolation: nil)
        return (session, try session.run())
    }

    /// The film's frames, repeated.
    private func repeated(_ count: Int, from first: Int = 0) -> [Int?] {
        (first..<first + count).map { $0 % CounterFilm.frames }
    }

    @Test(arguments: kinds)
    func `every frame and every beep of a file plays in its place, also after the end`(kind: Kind)
        throws
    {
        let film = try CounterFilm()
        let file = try film.make(kind.name, kind.options.split(separator: " ").map(String.init))
        let (session, run) = try session(file)
        #expect(run.exit == .code(0), "\(run)")
        if !kind.name.hasSuffix("mxf") {
            #expect(try session.counters() == repeated(150), "\(run)")
        }
        // Codecs let a beep begin a little early: the sixth may begin before the end.
        let beeps = try session.beeps().filter { $0 < 4.9 }
        #expect(beeps.count == 5, "\(beeps)")
        for (index, beep) in beeps.enumerated() {
            #expect(abs(beep - Double(index)) <= kind.tolerance, "\(beeps)")
        }
        // A seam that adds a gap adds it each time.
        #expect(
            abs(beeps[4] - beeps[2] - 2) < 0.002 && abs(beeps[2] - beeps[0] - 2) < 0.03, "\(beeps)")
    }

    @Test func `jumps are exact, pauses keep the frame, and both plugins follow`() throws {
        let film = try CounterFilm()
        let file = try film.make(
            "long-gop.mp4",
            "-c:v libx264 -g 600 -bf 2 -c:a aac".split(separator: " ").map(String.init))
        let (session, run) = try session(
            file, seconds: 6,
            timeline: [
                "at: 500ms, set: camera.settings.position=1.5",
                // The microphone's pause is the camera's.
                "at: 1s, set: microphone.settings.paused=true",
                "at: 2s, set: camera.settings.paused=false",
                "at: 3s, set: camera.settings.position=1.5",
                "at: 3500ms, set: camera.settings.loop=false",
                "at: 5s, set: microphone.settings.position=0",
            ])
        #expect(run.exit == .code(0), "\(run)")
        let counters = try session.counters()
        var expected: [Int?] = Array(0..<15) + Array(45..<60)
        expected += repeatElement(0, count: 30)
        expected += Array(0..<30)
        expected += Array(45..<60) + Array(0..<45)
        expected = Array(expected.prefix(135)) + repeatElement(nil, count: 0)
        #expect(Array(counters.prefix(135)) == expected, "\(counters)")
        #expect(Array(counters[135..<150]) == Array(30..<45), "\(counters)")
        #expect(Array(counters[150..<180]) == Array(0..<30), "\(counters)")
        // Beeps at 0, after the pause at 0, and after the last jump; the one at 1 s of the film is heard at 4 s.
        let beeps = try session.beeps()
        for (beep, time) in zip(beeps, [0, 2, 3.5, 4.5, 5]) {
            #expect(abs(beep - time) < 0.005, "\(beeps)")
        }
        #expect(beeps.count == 5, "\(beeps)")
    }

    @Test(.nightly) func `start, end and speed choose the part that plays`() throws {
        let film = try CounterFilm()
        let file = try film.make(
            "part.mkv", "-c:v libx264 -g 40 -c:a flac".split(separator: " ").map(String.init))
        let (part, run) = try session(
            file, seconds: 5, settings: "start: 0.5, end: 1.5",
            timeline: [
                "at: 2s, set: camera.settings.speed=0.5",
                "at: 4s, set: microphone.settings.speed=2",
            ])
        #expect(run.exit == .code(0), "\(run)")
        let counters = try part.counters()
        #expect(Array(counters.prefix(60)) == Array(15..<45) + Array(15..<45), "\(counters)")
        #expect(Array(counters[60..<120]) == (15..<45).flatMap { [$0, $0] }, "\(counters)")
        let fast = stride(from: 15, to: 45, by: 2).map { $0 }
        #expect(Array(counters[120..<150]) == fast + fast, "\(counters)")
        // The reader of beeps finds only those that are not higher than the film's.
        let beeps = try part.beeps().filter { $0 < 4 }
        for (beep, time) in zip(beeps, [0.5, 1.5, 3]) {
            #expect(abs(beep - time) < 0.002, "\(beeps)")
        }
        #expect(beeps.count == 3, "\(beeps)")
    }

    @Test(.nightly) func `frames of a variable rate show from their timestamps on`() throws {
        let film = try CounterFilm()
        // Frames 0, 1, 2, then every tenth, then every third.
        let file = try film.make(
            "variable.mkv",
            [
                "-vf",
                "select=lt(n\\,3)+gte(n\\,3)*lt(n\\,30)*not(mod(n\\,10))+gte(n\\,30)*not(mod(n\\,3))",
            ]
                + "-vsync vfr -c:v libx264 -c:a flac".split(separator: " ").map(String.init))
        let (session, run) = try session(file, seconds: 2)
        #expect(run.exit == .code(0), "\(run)")
        let kept = (0..<60).filter {
            $0 < 3 || ($0 < 30 && $0 % 10 == 0) || ($0 >= 30 && $0 % 3 == 0)
        }
        let expected = (0..<57).map { slot in kept.last { $0 <= slot } }
        #expect(Array(try session.counters().prefix(57)) == expected)
    }

    @Test(.nightly, arguments: ["jpg", "png"])
    func `a picture is a video that stands`(kind: String) throws {
        let film = try CounterFilm()
        let file = try film.make("still.\(kind)", ["-map", "0:v", "-frames:v", "1", "-q:v", "2"])
        let (session, run) = try session(file, seconds: 1)
        #expect(run.exit == .code(0), "\(run)")
        #expect(Set(try session.counters()) == [0], "\(run)")
    }

    @Test(.nightly) func `rotated videos are upright`() throws {
        let film = try CounterFilm()
        let lying = try film.make(
            "lying.mp4",
            "-vf transpose=cclock -c:v libx264 -an".split(separator: " ").map(String.init))
        let file = try film.make(
            "rotated.mp4", ["-c", "copy", "-metadata:s:v:0", "rotate=270"], inputs: ["-i", lying])
        let (session, run) = try session(file, seconds: 1)
        #expect(run.exit == .code(0), "\(run)")
        #expect(try session.counters() == repeated(30))
        #expect(
            run.text.contains("camera: 320x180@30") || run.standardError.contains("320x180@30"),
            "\(run)")
    }

    @Test(.nightly) func `the audio track is chosen by number or language`() throws {
        let film = try CounterFilm()
        let file = try film.make(
            "tracks.mkv",
            "-map 0:v -map 1:a -map 2:a -c:v libx264 -c:a flac -metadata:s:a:0 language=deu -metadata:s:a:1 language=eng"
                .split(separator: " ").map(String.init),
            inputs: [
                "-f", "lavfi", "-i", "color=size=320x180:rate=30:duration=2", "-f", "lavfi", "-i",
                "anullsrc=d=2", "-f", "lavfi", "-i",
                "aevalsrc=if(lt(mod(t\\,1)\\,0.1)\\,0.5*sin(2*PI*1000*t)\\,0):s=48000:d=2",
            ])
        for (track, beeps) in [("", 0), ("1", 0), ("deu", 0), ("2", 2), ("eng", 2)] {
            let (session, run) = try session(
                file, seconds: 2, settings: "audio-track: \"\(track)\"")
            #expect(run.exit == .code(0), "\(run)")
            #expect(try session.beeps().count == beeps, "track \(track)")
        }
        let (_, run) = try session(file, seconds: 1, settings: "audio-track: fra")
        #expect(run.standardError.contains("1 (deu), 2 (eng)"), "\(run)")
    }

    @Test(.nightly)
    func `a file without audio is silent, one without video black, and the log tells`() throws {
        let film = try CounterFilm()
        let silent = try film.make(
            "silent.mp4", "-c:v libx264 -an".split(separator: " ").map(String.init))
        let (one, first) = try session(silent, seconds: 1)
        #expect(
            first.exit == .code(0) && first.standardError.contains("no audio in the file"),
            "\(first)")
        #expect(try one.counters() == repeated(30))
        let blind = try film.make("blind.mp3", ["-vn"])
        let (two, second) = try session(blind, seconds: 2)
        #expect(
            second.exit == .code(0) && second.standardError.contains("no video in the file"),
            "\(second)")
        #expect(try two.beeps().count == 2)
        let frame = try two.picture("camera").frame(10)
        #expect(frame[160, 90].isNear(YUV(y: 16, u: 128, v: 128), within: 1))
    }

    @Test(.nightly) func `the log names the parts of a file that are not shown`() throws {
        let film = try CounterFilm()
        let subtitles = try film.write("x.srt", "1\n00:00:00,000 --> 00:00:01,000\nHello\n")
        let titled = try film.make(
            "titled.mkv", ["-map", "0", "-c:v", "ffv1", "-pix_fmt", "yuva420p", "-map", "1"],
            inputs: ["-f", "lavfi", "-i", "color=size=320x180:rate=30:duration=1", "-i", subtitles])
        let (_, run) = try session(titled, seconds: 1)
        for text in ["its subtitles are not shown", "its transparency is not shown"] {
            #expect(run.standardError.contains("titled.mkv: \(text)"), "\(run)")
        }
        let bright = try film.make(
            "hdr.mkv",
            "-c:v libx265 -x265-params log-level=0 -pix_fmt yuv420p10le -color_trc smpte2084 -color_primaries bt2020 -colorspace bt2020nc"
                .split(separator: " ").map(String.init))
        let (_, other) = try session(bright, seconds: 1)
        #expect(
            other.standardError.contains("hdr.mkv: HDR is shown without tone mapping"), "\(other)")
    }

    // MARK: - Hostile files

    @Test func `a playlist with the name of a film opens nothing`() throws {
        let film = try CounterFilm()
        let secret = try film.make(
            "secret.mp4", "-c:v libx264 -an".split(separator: " ").map(String.init))
        let texts = [
            "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n\(secret)\n#EXT-X-ENDLIST\n",
            "ffconcat version 1.0\nfile '\(secret)'\n",
            "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n",
            "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\"><Period/></MPD>",
        ]
        for text in texts {
            let file = try film.write("innocent.mp4", text)
            // In the host's process nothing but the lists of formats keeps it from the other file.
            for isolation in ["host", "process"] {
                let (_, run) = try session(
                    file, seconds: 1, more: ", isolation: \(isolation), on-failure: end")
                #expect(run.exit != .code(0), "\(run)")
                let format = text.hasPrefix("#EXTM3U") ? "its format, hls," : ""
                #expect(run.standardError.contains("innocent.mp4: \(format)"), "\(run)")
            }
        }
    }

    @Test(.nightly)
    func `a damaged file plays as far as it can, and the log says where it is damaged`()
        throws
    {
        let film = try CounterFilm()
        let file = try film.make(
            "whole.mkv", "-c:v libx264 -g 10 -c:a libmp3lame".split(separator: " ").map(String.init)
        )
        var generator = SeededGenerator(seed: 7)
        let whole = try readFile(file)
        for round in 0..<6 {
            var bytes = whole
            if round % 2 == 0 {
                // Holes in the media.
                for _ in 0..<20 {
                    let place = Int.random(
                        in: bytes.count / 3..<bytes.count - 200, using: &generator)
                    for offset in 0..<100 {
                        bytes[place + offset] = UInt8.random(in: 0...255, using: &generator)
                    }
                }
            } else {
                bytes = Array(bytes.prefix(bytes.count * 2 / 3))
            }
            let damaged = film.path("damaged-\(round).mkv")
            #expect(FileManager.default.createFile(atPath: damaged, contents: Data(bytes)))
            let (session, run) = try session(damaged, seconds: 4)
            #expect(run.exit == .code(0), "\(run)")
            let counters = try session.counters()
            #expect(Array(counters.prefix(10)) == Array(0..<10), "\(run)\n\(counters)")
            #expect(counters.count == 120)
        }
    }

    @Test(.nightly) func `a file that is not a media file is refused with its name`() throws {
        let film = try CounterFilm()
        for text in ["", "hello", String(repeating: "\u{1b}[31m", count: 1000)] {
            let file = try film.write("text.mp4", text)
            let (_, run) = try session(file, seconds: 1, more: ", on-failure: end")
            #expect(run.exit != .code(0) && run.standardError.contains("text.mp4: "), "\(run)")
            #expect(!run.standardError.utf8.contains(0x1b))
        }
    }

    @Test(.nightly)
    func `a decoder that hangs costs only its process, and the log has file and time`()
        throws
    {
        // After the 30th frame the filter searches for another one without an end.
        let graph = "testsrc2=size=320x180:rate=30,select=lt(n\\\\,30)"
        let session = try TestSession(
            """
            camera: { plugin: Media, settings: { device: "lavfi:\(graph)" }, on-failure: off }
            microphone: { plugin: Tone }
            """, maximum: "320x180@30", duration: "12s", isolation: nil)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let log = run.standardError
        let hang = try #require(log.firstRange(of: /select=.*: the decoder hangs at [01]\.\d+ s/))
        let loss = try #require(log.firstRange(of: "camera: lost: no frame accepted"), "\(run)")
        #expect(hang.lowerBound < loss.lowerBound, "\(run)")
        #expect(try session.picture("camera").frameCount == 360, "\(run)")
    }

    // MARK: - Processes

    @Test(.nightly)
    func `both plugins of a file live and die in one process, and come back in one`() throws {
        let film = try CounterFilm()
        let file = try film.make(
            "h264.mp4", "-c:v libx264 -c:a aac".split(separator: " ").map(String.init))
        let session = try TestSession(
            "media: { file: \"\(file)\" }", duration: nil, isolation: nil, outputs: "[]")
        let host = try session.start("--json")
        defer { host.signal(SIGKILL) }
        func came(_ text: String, _ times: Int) -> Bool {
            host.waitForOutput(containing: text, times: times)
        }
        #expect(came("\"started\"", 1), "\(host.outputSoFar)")
        let first = Runners.all(ofHost: host.id)
        #expect(first.count == 1, "\(first)")
        if let process = first.first { kill(process, SIGSEGV) }
        #expect(came("h264.mp4 at ", 1), "\(host.outputSoFar)")
        #expect(came("\"plugin-returned\"", 2), "\(host.outputSoFar)")
        let second = Runners.all(ofHost: host.id)
        #expect(second.count == 1 && second != first, "\(second)")
        host.signal(SIGTERM)
        let run = host.wait()
        #expect(run.exit == .code(130), "\(run)")
    }
}
