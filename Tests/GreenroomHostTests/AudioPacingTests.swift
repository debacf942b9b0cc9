import SessionTestSupport
import TestSupport
import Testing

/// Tests the pacing of audio: any sample rate, any block size, too fast or too slow.
@Suite(.ownThreads) struct AudioPacingTests {
    /// Runs a hostile microphone on the virtual clock.
    private func run(
        _ name: String, _ settings: String = "", seconds: Int, exit: Int32 = 0
    ) throws -> (session: FileSession, run: Finished, sound: Report.Audio) {
        let session = try FileSession(
            "microphone: \(try FileSession.hostile(name, settings))", duration: "\(seconds)s",
            clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(exit), "\(run)")
        let sound = try session.expectTrueReport(run).sound("microphone")
        #expect(try session.sound("camera").frameCount == seconds * 48_000, "\(run)")
        return (session, run, sound)
    }

    @Test(arguments: [22_050, 11_025])
    func `rates without a whole block of 10 ms lose no sample`(rate: Int) throws {
        // A lost or repeated sample would break the sine. OneClockTests checks this for an hour.
        let session = try FileSession(
            "microphone: \(FileSession.bundled("Tone", "rate: \(rate), frequency: 440, level: -12"))",
            duration: "20s", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let sound = try session.expectTrueReport(run).sound("microphone")
        #expect(sound.played == 960_000 && sound.frames >= 960_000, "\(sound)")
        #expect(sound.concealed == 0 && sound.cut == 0 && sound.idle == 0, "\(sound)")
        #expect(sound.refused.keys.allSatisfy { $0 == "STOPPED" }, "\(sound)")
        // At the ends the resampler has input on one side only.
        let samples = Array(try session.sound("camera").channels[0].dropFirst(200).dropLast(32))
        let breaks = Tone.breaks(in: samples, frequency: 440, rate: 48_000, tolerance: 16)
        #expect(breaks.isEmpty, "\(breaks.prefix(10))")
        let frequency = try #require(Tone.frequency(of: samples, rate: 48_000))
        // A tenth of a sample in 20 s.
        let limit: Double = 440 * 0.1 / 960_000
        #expect(abs(frequency - 440) < limit, "\(frequency) Hz")
    }

    @Test func `overfeeding is bounded, and reported`() throws {
        let (session, run, sound) = try run("Overfeeds", seconds: 20)
        // The excess of 11 % is refused, except for what the queue holds.
        let refused = sound.refused["QUEUE_FULL"] ?? 0
        #expect((185...222).contains(refused), "\(sound)")
        #expect(sound.refused.keys.allSatisfy { $0 == "QUEUE_FULL" || $0 == "STOPPED" })
        #expect(sound.concealed == 0, "\(sound)")
        let percent = try #require(sound.overfedPercent)
        #expect(percent > 9 && percent < 13, "\(sound)")
        // It is reported once, with the amount and the cure.
        let lines = run.lines(of: "microphone").split(separator: "\n").filter {
            $0.contains("%")
        }
        #expect(lines.count == 1, "\(run)")
        let answer = try #require(run.answers(to: "feed").first { $0.status != 0 })
        #expect(answer.text.contains("200 ms"), "the limit: \(answer)")
        #expect(try session.sound("camera").channels[0].contains { $0 != 0 })
    }

    @Test(
        arguments: Nightly.value([-1, -2, -3, -4, -5, -10, 1, 2, 4, 11], byDay: [-5, -1, 2, 11]))
    func `the log and the report give the same percentage of missing or excess audio`(
        percent: Int
    ) throws {
        let settings = "ppm: \(percent * 10_000), stamps: missing"
        let (_, run, sound) = try run("BeepMic", settings, seconds: 30)
        let isShort = percent < 0
        // In the log once, as soon as a window has shown it.
        let lines = run.lines(of: "microphone").split(separator: "\n")
            .filter { $0.contains("audio than real time") }
        #expect(lines.count == 1, "\(run)")
        #expect(lines.first?.contains(isShort ? "less audio" : "more audio") == true, "\(run)")
        // In the report: in the window with the most, as a part, and in frames.
        let told = try #require(isShort ? sound.underfedPercent : sound.overfedPercent)
        #expect(abs(told - Double(abs(percent))) < 1.2, "\(sound)")
        #expect((isShort ? sound.overfedPercent : sound.underfedPercent) == nil, "\(sound)")
        let due = 30 * 48_000
        let part = abs(percent) * due / 100
        if isShort {
            // The queue gives what it has before anything is missing.
            #expect(sound.concealed <= part && sound.concealed >= part - 9600, "\(sound)")
            #expect(sound.account.concealed == sound.concealed && sound.cut == 0, "\(sound)")
        } else {
            let refused = sound.sent - sound.accepted
            #expect(sound.concealed == 0 && sound.cut + refused > 0, "\(sound)")
            // What the queue holds at the end is not played.
            let excess = sound.cut + refused * 480 + sound.queued
            #expect(abs(excess - part) < 4800, "\(sound)")
        }
        // In the summary.
        let milliseconds = sound.concealed / 48
        let silence = "microphone: \(milliseconds) ms of silence for late or missing audio"
        let left = "microphone: \(sound.cut / 48) ms dropped: source too fast"
        #expect(run.standardError.contains(silence) == isShort, "\(run)")
        #expect(run.standardError.contains(left) == (sound.cut >= 48), "\(run)")
    }

    @Test func `underfeeding is concealed, and counted`() throws {
        let (session, run, sound) = try run("Underfeeds", seconds: 20)
        // 11 % of 20 s.
        let lacking = Double(sound.concealed + sound.idle) / (20 * 48_000)
        #expect(lacking > 0.09 && lacking < 0.13, "\(sound)")
        let percent = try #require(sound.underfedPercent)
        #expect(percent > 9 && percent < 13, "\(sound)")
        let lines = run.lines(of: "microphone").split(separator: "\n").filter {
            $0.contains("less audio than real time")
        }
        #expect(lines.count == 1, "\(run)")
        let silent = try session.sound("camera").channels[0].filter { $0 == 0 }.count
        // 5 ms at the beginning of each hole fade away.
        #expect(silent > sound.concealed / 2, "silence stands for it")
    }

    @Test func `a whole file in one call is refused with the limit`() throws {
        let (_, run, sound) = try run("WholeFile", seconds: 1, exit: 66)
        let answer = try #require(run.answers(to: "whole-file").first)
        #expect(answer.status == 23, "BAD_BLOCK: \(answer)")
        #expect(answer.text.contains("100 ms") || answer.text.contains("4800"), "\(answer)")
        #expect(sound.refused == ["BAD_BLOCK": 1] && sound.played == 0, "\(sound)")
    }

    @Test func `the queue accepts 200 ms of ten seconds that are sent at once`() throws {
        let (session, run, sound) = try run("TenSecondsAtOnce", seconds: 2)
        // 200 ms are two blocks.
        #expect(sound.accepted == 2 && sound.refused == ["QUEUE_FULL": 98], "\(sound)")
        #expect(sound.played == 9600, "\(sound)")
        let answer = try #require(run.answers(to: "at-once").last)
        #expect(answer.text.contains("200 ms"), "\(answer)")
        let samples = try session.sound("camera").channels[0]
        let breaks = Tone.breaks(
            in: Array(samples[..<9600]), frequency: 440, rate: 48_000, tolerance: 4)
        #expect(breaks.isEmpty && samples[9840...].allSatisfy { $0 == 0 }, "\(run)")
    }

    @Test func `a short last block is accepted`() throws {
        let (session, run, sound) = try run("ShortLast", seconds: 2)
        #expect(run.answers(to: "short-last").map(\.status) == [0], "\(run)")
        #expect(
            sound.accepted == 101 && sound.frames == 48_007 && sound.played == 48_007, "\(sound)")
        let samples = try session.sound("camera").channels[0]
        let breaks = Tone.breaks(
            in: Array(samples[..<48_007]), frequency: 440, rate: 48_000, tolerance: 4)
        #expect(breaks.isEmpty, "\(breaks.prefix(10))")
        #expect(samples[48_247...].allSatisfy { $0 == 0 })
    }

    @Test func `clipping and DC offset are reported`() throws {
        let (_, clippedRun, loud) = try run("Loud", seconds: 3)
        // An amplitude of 50000 exceeds 16 bits for 54 % of the time.
        let part = Double(loud.clippedSamples) / Double(loud.frames)
        #expect(part > 0.4 && part < 0.6, "\(loud)")
        #expect(loud.peakDBFS.map { $0 > -0.01 } == true, "\(loud)")
        #expect(clippedRun.lines(of: "microphone").contains("clip"), "\(clippedRun)")

        let (_, offsetRun, offset) = try run("Offset", seconds: 3)
        #expect(abs(offset.dcOffset - 0.05) < 0.001, "\(offset)")
        #expect(offset.clippedSamples == 0, "\(offset)")
        #expect(offsetRun.lines(of: "microphone").contains("DC"), "\(offsetRun)")
    }

    @Test(arguments: [480, 882, 1024, 4410, 7])
    func `blocks of any length are accepted whole`(block: Int) throws {
        let (_, run, sound) = try run("BeepMic", "rate: 44100, block: \(block)", seconds: 10)
        #expect(sound.refused.isEmpty && sound.concealed == 0, "\(sound)\n\(run)")
        #expect(sound.cut == 0 && sound.beforeStart == 0, "\(sound)")
        // Everything except the last block.
        #expect(sound.idle <= (block + 441) * 480 / 441 + 480, "\(sound)")
    }
}
