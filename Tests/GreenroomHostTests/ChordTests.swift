import SessionTestSupport
import TestSupport
import Testing

/// Tests an hour of audio, sample by sample, against what it has to be.
///
/// A microphone of another rate hears three sines, in blocks of all lengths. By day it is two or
/// six minutes. An hour is a file of 700 MB.
@Suite(.ownThreads) struct ChordTests {
    /// Records a microphone, and compares the recording with the chord.
    private func run(
        _ microphone: String, _ settings: String, minutes: Int, isExact: Bool,
        skipping skipped: (Int, Int)
    ) throws -> (difference: Chord.Difference, run: Finished, sound: Report.Audio) {
        let session = try FileSession(
            "microphone: \(try FileSession.hostile(microphone, settings))",
            duration: "\(minutes)m", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run, readingAudio: false)
        #expect(report.audioFiles.map(\.written) == [minutes * 60 * 48_000])
        let difference = try Chord.difference(
            of: session.recording + "/camera.wav", isExact: isExact, skipping: skipped)
        return (difference, run, try report.sound("microphone"))
    }

    @Test(arguments: Nightly.list([22_050, 44_100, 96_000]) { $0 == 44_100 })
    func `a paced microphone loses, moves and changes no sample in an hour`(rate: Int) throws {
        // The filter has heard nothing before the first sample.
        let minutes = Nightly.value(60, byDay: 2)
        let (difference, run, sound) = try run(
            "PacedChordMic", "rate: \(rate)", minutes: minutes, isExact: true, skipping: (480, 0))
        let frames = minutes * 60 * 48_000
        #expect(sound.played == frames && sound.concealed == 0 && sound.idle == 0, "\(sound)")
        #expect(sound.cut == 0 && sound.beforeStart == 0 && sound.driftPPM == nil, "\(sound)")
        #expect(difference.frames == frames)
        // Rounding to 16 bits leaves 85 dB.
        #expect(difference.signalToNoise > 80, "\(difference.summary)\n\(run)")
        #expect(difference.worst.difference < 2, "\(difference.summary)")
        #expect(difference.largestDelay < 0.001, "\(difference.summary)")
    }

    @Test(
        .nightly,
        arguments: [(22_050, 0), (44_100, 0), (22_050, 40), (44_100, -200), (48_000, -200)])
    func `a live microphone's audio stays in time, whatever the drift of its clock`(
        rate: Int, ppm: Int
    ) throws {
        let (difference, run, sound) = try run(
            "ChordMic", "rate: \(rate), ppm: \(ppm), stamps: session",
            minutes: Nightly.value(60, byDay: 6), isExact: false, skipping: (480, 4800))
        #expect(sound.concealed == 0 && sound.cut == 0 && sound.refused.isEmpty, "\(sound)")
        // Everything except the last block, which was not whole at the end: of 50 ms at most.
        #expect(sound.idle <= 2400 && sound.played + sound.idle == difference.frames, "\(sound)")
        if ppm == 0 {
            #expect(difference.signalToNoise > 80, "\(difference.summary)\n\(run)")
            #expect(difference.worst.difference < 2, "\(difference.summary)")
            #expect(difference.largestDelay < 0.001, "\(difference.summary)")
            #expect(sound.driftPPM == nil, "\(sound)")
        } else {
            // It is stretched, by parts of a sample from one 10 ms to the next.
            #expect(difference.signalToNoise > 75, "\(difference.summary)\n\(run)")
            #expect(difference.worst.difference < 500, "\(difference.summary)")
            #expect(difference.largestStep < 10, "\(difference.summary)")
            #expect(difference.largestDelay < 10_000, "\(difference.summary)")
            #expect(difference.settledDelay < 300, "\(difference.summary)")
            #expect(abs((sound.driftPPM ?? 0) - Double(ppm)) < 5, "\(sound)")
        }
    }
}

extension Chord.Difference {
    /// The numbers.
    fileprivate var summary: String {
        "\(frames) frames, SNR \(signalToNoise) dB, worst \(worst.difference) at \(worst.frame), "
            + "delay up to \(largestDelay) µs, in the second half \(settledDelay), a step up to "
            + "\(largestStep) µs"
    }
}
