import SessionTestSupport
import TestSupport
import Testing

/// Tests that a source's audio is recorded at its frequency, completely, for the whole session.
@Suite(.ownThreads) struct AudioRecordingTests {
    /// Expects a sine from its first sample to the end.
    ///
    /// - Parameters:
    ///   - sound: The track's part of the report.
    ///   - isResampled: Whether to allow for rounding, and for ringing of the filter at the tone's
    ///     onset and end.
    private func expectTone(
        _ samples: [Double], _ frequency: Double, amplitude: Double, _ sound: Report.Audio,
        isResampled: Bool
    ) throws {
        let comment = Comment(rawValue: "\(sound)")
        let onset = try #require(samples.firstIndex { abs($0) > 30 }, comment)
        // Sources start one after another, and their first block follows a little later.
        #expect(onset < samples.count / 2, comment)
        // Audio that is sent after the session's end is missing; a late source lacks more.
        let missing = max(sound.idle - onset, 0)
        #expect(missing < samples.count / 4, comment)
        let edge = isResampled ? 200 : 0
        let end = edge + (missing > 0 ? missing + 16 : 0)
        let tone = Array(samples[onset...].dropFirst(edge).dropLast(end))
        #expect(sound.concealed == 0, comment)
        let breaks = Tone.breaks(
            in: tone, frequency: frequency, rate: 48_000, tolerance: isResampled ? 16 : 4)
        #expect(breaks.isEmpty, "\(breaks.prefix(10)) of \(tone.count): \(sound)")
        let measured = try #require(Tone.frequency(of: tone, rate: 48_000))
        #expect(abs(measured - frequency) < frequency / 2000, "\(measured) Hz: \(sound)")
        let level = Tone.amplitude(of: frequency, in: tone, rate: 48_000)
        #expect(abs(level - amplitude) < amplitude / 50, "\(level): \(sound)")
    }

    @Test(arguments: [8000, 11_025, 22_050, 44_100, 48_000, 96_000])
    func `a tone of any rate is recorded without a break`(rate: Int) throws {
        let (mono, stereo) = (440.0, 997.0)
        let session = try FileSession(
            """
            microphone: \(FileSession.bundled(
                "Tone", "rate: \(rate), channels: 1, frequency: \(mono), level: -12"))
            share: \(try FileSession.hostile("Share", "", """
                audio: \(FileSession.bundled(
                    "ToneShareAudio",
                    "rate: \(rate), channels: 2, frequency: \(stereo), level: -12"))
                """))
            """, duration: "1s", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        // -12 dB of full scale.
        let amplitude = 32_767 * 0.2512
        for (track, role, frequency) in [
            ("camera", "microphone", mono), ("share", "share.audio", stereo),
        ] {
            let recording = try session.sound(track)
            #expect(recording.frameCount == 48_000, "\(track)")
            try #require(recording.channels.count == 2)
            #expect(recording.channels[0] == recording.channels[1], "\(track)")
            let sound = try report.sound(role)
            #expect(sound.refused["QUEUE_FULL"] == nil, "\(sound)")
            #expect(sound.resampled == (rate == 48_000 ? 0 : sound.accepted), "\(sound)")
            try expectTone(
                recording.channels[0], frequency, amplitude: amplitude, sound,
                isResampled: rate != 48_000)
        }
        // The share's video is as long as its audio.
        #expect(try session.picture("share").frameCount == 15)
        // Other programs can read the files.
        let stream = try #require(try FFProbe(session.recording + "/share.wav").streams.first)
        #expect(stream.sampleRate == "48000" && stream.channels == 2)
        #expect(stream.codecName == "pcm_s16le")
    }

    @Test func `left and right stay separate`() throws {
        // A tone on both channels next to silence, which no bundled plugin makes.
        let session = try FileSession(
            """
            microphone: \(FileSession.bundled("Tone", "waveform: silence"))
            share: \(try FileSession.hostile("Share", "", """
                audio: \(try FileSession.hostile("ShareAudio", "rate: 32000, channels: 2"))
                """))
            """, duration: "500ms", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let microphone = try session.sound("camera")
        #expect(microphone.channels.allSatisfy { $0.allSatisfy { $0 == 0 } }, "silence")
        let share = try session.sound("share")
        #expect(share.frameCount == 24_000 && microphone.frameCount == 24_000)
        try expectTone(
            share.channels[0], 440, amplitude: 8000, try report.sound("share.audio"),
            isResampled: true)
    }

    @Test func `audio that is sent too fast is refused, and the accepted audio is intact`() throws {
        // It sends 10 ms every 9 ms, and repeats samples that were refused.
        let session = try FileSession(
            "microphone: \(try FileSession.hostile("Overfeeder"))", duration: "2500ms",
            clock: "virtual")
        let run = try session.run("--json")
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let sound = try report.sound("microphone")
        #expect((sound.refused["QUEUE_FULL"] ?? 0) > 0, "\(run)")
        #expect((sound.overfedPercent ?? 0) > 5, "\(sound)")
        let told = try run.events("note", of: "microphone")
        #expect(
            told.contains { $0.text?.contains("more audio than real time") == true }, "\(run.text)")
        let recording = try session.sound("camera")
        #expect(recording.frameCount == 120_000)
        try expectTone(
            recording.channels[0], 440, amplitude: 8000, sound, isResampled: false)
    }

    @Test func `missing audio is replaced by silence, and counted`() throws {
        // It sends a third of the time's audio.
        let session = try FileSession(
            "microphone: \(try FileSession.hostile("Starving"))", duration: "2500ms",
            clock: "virtual")
        let run = try session.run("--json")
        #expect(run.exit == .code(0), "\(run)")
        let sound = try session.expectTrueReport(run).sound("microphone")
        #expect(try session.sound("camera").frameCount == 120_000)
        #expect(sound.concealed > 0, "\(run)")
        #expect((sound.underfedPercent ?? 0) > 50, "\(sound)")
        let told = try run.events("note", of: "microphone")
        #expect(
            told.contains { $0.text?.contains("less audio than real time") == true }, "\(run.text)")
        let share = Double(sound.played) / 120_000
        #expect(share > 0.3 && share < 0.4, "\(share) was played\n\(run)")
    }

    @Test func `a tone of several seconds does not drift by a sample`() throws {
        // 11025 Hz has no whole block of 10 ms; an error would shift the sine's phase.
        let session = try FileSession(
            "microphone: \(FileSession.bundled("Tone", "rate: 11025, frequency: 1000"))",
            duration: "4s", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let sound = try report.sound("microphone")
        let recording = try session.sound("camera")
        #expect(recording.frameCount == 192_000)
        try expectTone(
            recording.channels[0], 1000, amplitude: 3276.7, sound, isResampled: true)
        // A sine of 1000 Hz crosses zero upwards every 48 samples: from the first crossing to the
        // last is a multiple of 48, to a tenth of a sample.
        let samples = Array(recording.channels[0].dropFirst(48_000))
        let measured = try #require(Tone.frequency(of: samples, rate: 48_000))
        let limit: Double = 1000 * 0.1 / 48 / 3
        #expect(abs(measured - 1000) < limit, "\(measured) Hz")
    }
}
