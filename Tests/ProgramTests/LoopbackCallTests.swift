import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests of the bundled call `LoopbackCall`.
@Suite(.ownThreads) struct LoopbackCallTests {
    func session(
        _ script: String, _ outputs: String, camera: String = "", duration: String = "2s",
        more: String = ""
    ) throws -> FileSession {
        try FileSession(
            """
            camera: { plugin: ColorBars }
            microphone: { plugin: Tone }
            call: { plugin: LoopbackCall, settings: { script: "\(script)" }\(more) }
            """, maximum: "1280x720@30", duration: duration, clock: "virtual", outputs: outputs)
    }

    @Test func `a SpeakerFile writes the mix-minus of one participant`() throws {
        let session = try session(
            "Ana 0s-1s microphone=550; Ben 0s microphone=660",
            """
            [{ plugin: SpeakerFile, settings: { path: ana.wav, position: mix-minus, channels: 1 },
               tracks: ["participant Ana mix-minus"] },
             { record: recording }]
            """)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let heard = try WAVRecording(session.folder("ana.wav"))
        // From about its answer on, until she has left.
        #expect((40_000...48_000).contains(heard.frameCount), "\(heard.frameCount)")
        // The session's tone and Ben's, and not hers.
        let samples = heard.channels[0]
        let tones = [550.0, 660].map { frequency in
            var (sine, cosine) = (0.0, 0.0)
            for (index, sample) in samples[9600..<38_400].enumerated() {
                let phase = 2 * .pi * frequency * Double(index) / 48_000
                sine += Double(sample) * sin(phase)
                cosine += Double(sample) * cos(phase)
            }
            return (sine * sine + cosine * cosine).squareRoot() / 14_400
        }
        #expect(tones[0] < 100 && tones[1] > 2000, "\(tones)")
    }

    @Test func `in a call of three nobody misses a frame or a sample`() throws {
        // At night an hour.
        let seconds = Nightly.value(3600, byDay: 60)
        let session = try FileSession(
            """
            camera: { plugin: ColorBars }
            microphone: { plugin: Tone }
            call: { plugin: LoopbackCall, settings: { script: "
              Ana 0s camera=160x90@5 microphone=550;
              Ben 10s-\(seconds - 10)s camera=160x90@10 microphone=660;
              Cleo 5s-\(seconds / 2)s share=160x90@2 microphone=330 mute=10s-20s" } }
            """, maximum: "160x90@10", duration: "\(seconds)s", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run, readingAudio: false)
        #expect(try report.picture("camera").account.real == seconds * 10)
        #expect(try report.sound("microphone").account.real == seconds * 48_000)
        // What the call got: the camera, and for each participant all audio but theirs.
        let people = try #require(report.participants)
        let there = people.map { ($0.leftSeconds ?? Double(seconds)) - $0.joinedSeconds }
        let call = try #require(report.outputPlugins?.first { $0.plugin == "LoopbackCall" })
        #expect(call.values["frames"] == Double(seconds * 10), "\(call)")
        #expect(
            abs((call.values["samples"] ?? 0) - there.reduce(0, +) * 48_000) <= 3 * 4800, "\(call)")
        #expect(
            call.tracks.allSatisfy { $0.media.refused.isEmpty && $0.media.lostSamples ?? 0 == 0 })
        let tracks = people.flatMap(\.tracks)
        #expect(tracks.count == 6)
        for track in tracks {
            let there = (track.endedSeconds ?? Double(seconds)) - track.beganSeconds
            let path = "\(session.recording)/\(track.track)"
            if let video = track.video {
                let (account, rate) = (
                    video.account,
                    track.track == "ana-camera" ? 5.0 : track.track == "ben-camera" ? 10 : 2
                )
                #expect(account.real == account.total, "\(track.track): \(account)")
                #expect(
                    abs(Double(account.total) - there * rate) <= 1, "\(track.track): \(account)")
                #expect(try Y4MRecording(path + ".y4m").frameCount == account.total)
            }
            if let audio = track.audio {
                let account = audio.account
                #expect(
                    account.real + account.stopped == account.total, "\(track.track): \(account)")
                #expect(audio.concealed == 0 && audio.cut == 0 && audio.beforeStart == 0)
                #expect(abs(Double(account.total) - there * 48_000) <= 480, "\(track.track)")
                // 16 bits of two channels, after the header.
                let file = try #require(FileHandle(forReadingAtPath: path + ".wav"))
                let header = Int(try file.seekToEnd()) - account.total * 4
                #expect((44...4096).contains(header), "\(track.track): \(header)")
            }
        }
        let muted = tracks.first { $0.track == "cleo-microphone" }?.audio?.account.stopped
        #expect(muted == 10 * 48_000)
    }
}
