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

    func session(
        _ file: String, seconds: Int = 5, settings: String = "", timeline: [String] = [],
        maximum: String = "320x180@30", more: String = ""
    ) throws -> (session: FileSession, run: Finished) {
        let session = try FileSession(
            "media: { file: \"\(file)\", settings: { \(settings) }\(more) }", maximum: maximum,
            duration: "\(seconds)s", clock: "virtual", table: "[320x180@30]", timeline: timeline,
            isolation: nil)
        return (session, try session.run())
    }

    /// The film's frames, repeated.
    func repeated(_ count: Int, from first: Int = 0) -> [Int?] {
        (first..<first + count).map { $0 % CounterFilm.frames }
    }

    @Test(arguments: kinds)
    func `every frame and beep of a file plays at its time, even in a repetition`(kind: Kind)
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

    @Test func `jumps are exact, pauses keep the frame, and camera and microphone follow`() throws {
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

    // MARK: - Hostile files

    @Test func `a playlist with the name of a film opens no other file`() throws {
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
}
