import SessionTestSupport
import TestSupport
import Testing

/// Tests that audio and video of a recording stay in sync, for all device clocks and timestamps.
///
/// The scene flashes and beeps each second. A camera and a microphone capture it, each with its own
/// clock; the times are measured in the recording.
@Suite(.ownThreads) struct OneClockTests {
    /// Half a period of the camera, the resolution of its frames, plus a margin.
    private static let tolerance = 0.020

    /// A session of two devices that capture the scene.
    private func session(
        camera: String, microphone: String, duration: String
    ) throws -> FileSession {
        try FileSession(
            """
            camera: \(try FileSession.hostile("FlashCamera", camera))
            microphone: \(try FileSession.hostile("BeepMic", microphone))
            """, maximum: "16x16@30", duration: duration, clock: "virtual")
    }

    /// Expects that every flash has a beep at the same time.
    @discardableResult
    private func expectTogether(
        _ session: FileSession, _ track: String = "camera", seconds: Int, _ run: Finished,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [Double] {
        let world = try FlashAndBeep(
            picture: "\(session.recording)/\(track).y4m", sound: "\(session.recording)/\(track).wav"
        )
        let delays = world.delays
        // The first and the last may be truncated.
        #expect(
            delays.count >= seconds - 2 && delays.count <= seconds + 1,
            "\(world.flashes.count) flashes, \(world.beeps.count) beeps\n\(run)",
            sourceLocation: sourceLocation)
        let worst = delays.map(abs).max() ?? 1
        #expect(
            worst <= Self.tolerance,
            """
            apart by up to \(Int(worst * 1000)) ms; from first to last, a tenth each: \
            \(stride(from: 0, to: delays.count, by: max(delays.count / 10, 1)).map {
                Int((delays[$0] * 1000).rounded())
            })
            \(run)
            """, sourceLocation: sourceLocation)
        return delays
    }

    /// The mean offset of audio from video, in seconds.
    private func mean(_ delays: some Collection<Double>) -> Double {
        delays.reduce(0, +) / Double(max(delays.count, 1))
    }

    @Test(.nightly)
    func `camera, microphone and share stay in sync for long, and no sample is lost`() throws {
        // The whole hour at night.
        let minutes = Nightly.value(60, byDay: 6)
        // In 6 minutes, 100 ppm are 36 ms and 200 ppm are 72 ms. One clock is fast, the other slow.
        // The
        // share's sound keeps time. Neither rate has a whole block of 10 ms.
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("FlashCamera", "ppm: 100, stamps: own"))
            microphone: \(try FileSession.hostile(
                "BeepMic", "ppm: -200, stamps: own, rate: 22050, block: 1102"))
            share: \(try FileSession.hostile("StillShare", "fps: 1", """
                audio: \(try FileSession.hostile(
                    "BeepShareAudio", "stamps: own, rate: 11025, block: 1001"))
                """))
            """, maximum: "16x16@30", duration: "\(minutes)m", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run, readingAudio: false)
        let written = minutes * 60 * 48_000
        #expect(try report.picture("camera").outputs[0].periods == minutes * 1800)
        #expect(report.audioFiles.map(\.written) == [written, written])
        let delays = try expectTogether(session, seconds: minutes * 60, run)
        // No drift between the first and the last sixth.
        let part = minutes * 10
        #expect(abs(mean(delays.prefix(part)) - mean(delays.suffix(part))) < 0.010)

        for role in ["microphone", "share.audio"] {
            let sound = try report.sound(role)
            #expect(sound.concealed == 0 && sound.cut == 0 && sound.refused.isEmpty, "\(sound)")
            // Everything except the last block.
            #expect(sound.played + sound.idle == written && sound.idle <= 4810, "\(sound)")
        }
        // The last beep of the exact clock is in place, to a sample of 11025 Hz.
        let beeps = try FlashAndBeep.beeps(in: "\(session.recording)/share.wav")
        let last = try #require(beeps.last)
        #expect(beeps.count == minutes * 60 && abs(last - last.rounded()) < 1.0 / 11_025, "\(last)")

        // The report gives the drift of the clocks.
        let camera = try #require(try report.picture("camera").stamps.driftPPM)
        let microphone = try #require(try report.sound("microphone").driftPPM)
        #expect(abs(camera - 100) < 20 && abs(microphone + 200) < 20, "\(camera), \(microphone)")
        #expect(try report.sound("share.audio").driftPPM == nil)
    }

    static let stamps = ["session", "missing", "wall", "zero", "own", "milliseconds", "backward"]

    @Test(arguments: Nightly.pairs(stamps, [0, 100, -200]))
    func `camera and microphone stay in sync with every kind of timestamps`(
        stamps: String, ppm: Int
    ) throws {
        // Only timestamps that are counted drift from the time; that takes longer.
        let minutes = stamps == "own" && ppm != 0 ? 5 : 1
        let session = try session(
            camera: "stamps: \(stamps), ppm: \(ppm)",
            microphone: "stamps: \(stamps), ppm: \(-ppm), block: 960", duration: "\(minutes)m")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run, readingAudio: false)
        let delays = try expectTogether(session, seconds: minutes * 60, run)
        if ppm == 0 {
            #expect(abs(mean(delays.prefix(10)) - mean(delays.suffix(10))) < 0.002, "\(delays)")
        }

        // Their anomalies are counted, and logged once for each source.
        let picture = try report.picture("camera")
        let sound = try report.sound("microphone")
        for (role, found, count) in [
            ("camera", picture.stamps, picture.accepted),
            ("microphone", sound.stamps, sound.accepted),
        ] {
            let expected =
                switch stamps {
                case "missing": (count, 0, 0)
                case "wall", "zero", "milliseconds": (0, 0, count)
                case "backward": (0, count / 10, 0)
                default: (0, 0, 0)
                }
            #expect(found.missing == expected.0, "\(role): \(found)")
            #expect(found.backward == expected.1, "\(role): \(found)")
            #expect(found.foreign == expected.2, "\(role): \(found)")
            let notes = run.lines(of: role).split(separator: "\n")
            let isAtFault =
                switch stamps {
                case "session": false
                // A block without a timestamp follows the one before, as documented.
                case "missing": role == "camera"
                case "own": ppm != 0
                default: true
                }
            let ofStamps = notes.filter { $0.contains("stamp") }
            #expect(ofStamps.count == (isAtFault ? 1 : 0), "\(role):\n\(run)")
            // The clock of the samples is reported separately.
            let ofSamples = notes.filter { $0.contains("the sample clock runs") }
            #expect(
                ofSamples.count <= (role == "microphone" && ppm != 0 ? 1 : 0), "\(role):\n\(run)")
        }
    }

    @Test func `a share's audio stays in sync with its video`() throws {
        let session = try FileSession(
            """
            share: \(try FileSession.hostile("FlashShare", "ppm: -150, stamps: zero", """
                audio: \(try FileSession.hostile(
                    "BeepShareAudio", "ppm: 120, stamps: zero, rate: 44100"))
                """))
            """, maximum: "16x16@30", duration: "2m", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        try session.expectTrueReport(run, readingAudio: false)
        try expectTogether(session, "share", seconds: 120, run)
    }

    @Test(.nightly) func `camera and microphone stay in sync in real time`() throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("FlashCamera", "stamps: own, ppm: 150"))
            microphone: \(try FileSession.hostile("BeepMic", "stamps: own, ppm: -150"))
            """, maximum: "16x16@30", duration: "6s")
        // On a busy machine late audio is replaced by silence, and late frames by others: one session
        // without that is enough.
        for _ in 0..<4 {
            let run = try session.run(
                "--set", "outputs=[{record: {folder: recording, overwrite: true}}]")
            #expect(run.exit == .code(0), "\(run)")
            let report = try session.expectTrueReport(run, readingAudio: false)
            let picture = try report.picture("camera")
            guard try report.sound("microphone").concealed == 0, picture.superseded == 0,
                picture.outputs[0].repeated <= 2
            else { continue }
            _ = try expectTogether(session, seconds: 6, run)
            return
        }
    }
}
