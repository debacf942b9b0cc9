import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension MediaTests {
    @Test func `start, end and speed choose the part that plays`() throws {
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
        // The beep reader misses beeps above the film's frequency.
        let beeps = try part.beeps().filter { $0 < 4 }
        for (beep, time) in zip(beeps, [0.5, 1.5, 3]) {
            #expect(abs(beep - time) < 0.002, "\(beeps)")
        }
        #expect(beeps.count == 3, "\(beeps)")
    }

    @Test func `frames of a variable rate show from their timestamps on`() throws {
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

    @Test(arguments: ["jpg", "png"])
    func `an image file plays as a still video`(kind: String) throws {
        let film = try CounterFilm()
        let file = try film.make("still.\(kind)", ["-map", "0:v", "-frames:v", "1", "-q:v", "2"])
        let (session, run) = try session(file, seconds: 1)
        #expect(run.exit == .code(0), "\(run)")
        #expect(Set(try session.counters()) == [0], "\(run)")
    }

    @Test func `rotated videos are upright`() throws {
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

    @Test func `the audio track is chosen by number or language`() throws {
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

    @Test
    func `a file without audio is silent, a file without video black, as the log says`() throws {
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

    @Test func `the log names the parts of a file that are not shown`() throws {
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

    @Test
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

    @Test func `a file that is not a media file is refused with its name`() throws {
        let film = try CounterFilm()
        for text in ["", "hello", String(repeating: "\u{1b}[31m", count: 1000)] {
            let file = try film.write("text.mp4", text)
            let (_, run) = try session(file, seconds: 1, more: ", on-failure: end")
            #expect(run.exit != .code(0) && run.standardError.contains("text.mp4: "), "\(run)")
            #expect(!run.standardError.utf8.contains(0x1b))
        }
    }

    @Test
    func `a decoder that hangs costs only its process, and the log has file and time`()
        throws
    {
        // After the 30th frame, the filter searches for another one forever.
        let graph = "testsrc2=size=320x180:rate=30,select=lt(n\\\\,30)"
        let session = try FileSession(
            """
            camera: { plugin: Media, settings: { device: "lavfi:\(graph)" }, on-failure: off }
            microphone: { plugin: Tone }
            """, maximum: "320x180@30", duration: "12s", deadline: "2s", isolation: nil)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let log = run.standardError
        let hang = try #require(log.firstRange(of: /select=.*: the decoder hangs at [01]\.\d+ s/))
        let loss = try #require(log.firstRange(of: "camera: lost: no frame accepted"), "\(run)")
        #expect(hang.lowerBound < loss.lowerBound, "\(run)")
        #expect(try session.picture("camera").frameCount == 360, "\(run)")
    }

    @Test
    func `both plugins of a media file share one process, even after a restart`() throws {
        let film = try CounterFilm()
        let file = try film.make(
            "h264.mp4", "-c:v libx264 -c:a aac".split(separator: " ").map(String.init))
        let session = try FileSession(
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
