import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension LoudspeakerTests {
    @Test func `a device gets the session's audio, sample by sample`() throws {
        // It never loses audio in silence, or each time.
        let run = try playWhole(on: "tofile")
        #expect(run.exit == .code(0), "\(run)")
        #expect(!run.standardError.contains("ALSA lib"))
        let played = try WAVRecording(folder("played.wav"))
        #expect(played.sampleRate == 48_000)
        #expect(abs(played.seconds - 2) < 0.1, "it lasts \(played.seconds) s")
        // The recording has the same audio, with what the microphone of a busy machine owed.
        func tone(_ file: String) throws -> ArraySlice<Double> {
            let left = try #require(try WAVRecording(folder(file)).channels.first)
            let begin = try #require(left.firstIndex { $0 != 0 })
            return left[begin...(try #require(left.lastIndex { $0 != 0 }))]
        }
        let (device, recorded) = (try tone("played.wav"), try tone("out/camera.wav"))
        #expect(Double(device.count) / 48_000 > 1.4)
        #expect(device.elementsEqual(recorded), "\(device.count) and \(recorded.count) samples")
        let frequency = try #require(Tone.steadyFrequency(in: device, near: 440, rate: 48_000))
        #expect(abs(frequency.hertz - 440) < 0.1 && frequency.seconds > 0.25, "\(frequency)")
        let report = try report()
        #expect(report["underruns"] as? Int == 0)
        #expect(report["dropped"] as? Int == 0)
        #expect(report["played"] as? Int == 2 * 48_000)
        #expect(report["driftPPM"] == nil, "a file has no clock")
    }

    @Test func `in a call a loudspeaker plays the incoming audio, not the session's own`() throws {
        let call = """
            call: { plugin: LoopbackCall, settings: { script: "Ana 0s microphone=660" } }
            """
        let run = try playWhole(on: "tofile", more: call)
        #expect(run.exit == .code(0), "\(run)")
        let left = try #require(try WAVRecording(folder("played.wav")).channels.first)
        try #require(left.count >= 72_000, "\(run)")
        #expect(Tone.amplitude(of: 660, in: left[24_000..<72_000], rate: 48_000) > 1000)
        #expect(Tone.amplitude(of: 440, in: left[24_000..<72_000], rate: 48_000) < 100)
    }

    @Test func `a mono device of another rate gets converted audio`() throws {
        let run = try playWhole(on: "mono")
        #expect(run.exit == .code(0), "\(run)")
        #expect(try report()["dropped"] as? Int == 0)
        let bytes = try readFile(folder("telephone.raw"))
        let samples = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            Double(Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8))
        }
        #expect(abs(Double(samples.count) / 44_100 - 2) < 0.1)
        let tone = try #require(Tone.steadyFrequency(in: samples, near: 440, rate: 44_100))
        #expect(abs(tone.hertz - 440) < 0.5 && tone.seconds > 0.25, "\(tone)")
    }

    @Test func `a device without a clock plays all audio`() throws {
        let run = try playWhole(on: "nothing")
        #expect(run.exit == .code(0), "\(run)")
        let report = try report()
        #expect(report["played"] as? Int == 2 * 48_000)
        #expect(report["output"] as? String == "loudspeaker nothing")
    }

    @Test func `devices are listed with their lines for the session file`() throws {
        let people = try Greenroom.run("devices", environment: environment)
        #expect(people.exit == .code(0), "\(people)")
        #expect(people.text.contains(#"- loudspeaker: "null""#))
        #expect(people.text.contains("microphone: { plugin: AlsaMicrophone, settings: { device: "))
        #expect(!people.standardError.contains("ALSA lib"))
        let programs = try Greenroom.run("devices", "--json", environment: environment)
        let json = try JSONSerialization.jsonObject(with: Data(programs.standardOutput))
        let devices = try #require((json as? [String: Any])?["devices"] as? [[String: Any]])
        let null = try #require(devices.first { $0["name"] as? String == "null" })
        #expect(null["playback"] as? Bool == true)
        #expect(null["capture"] as? Bool == true)
    }

    /// Plays until nothing was dropped, at most six times: a machine that is busy enough makes the
    /// loudspeaker miss a period, and it says so.
    private func playWhole(on device: String, more: String = "") throws -> Finished {
        var run = try play(on: device, more: more)
        for _ in 0..<5 where try report()["dropped"] as? Int != 0 {
            run = try play(on: device, more: more)
        }
        return run
    }

    private func report() throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(
            with: Data(readFile(folder("out/session.json"))))
        let loudspeakers = (json as? [String: Any])?["loudspeakers"] as? [[String: Any]]
        return try #require(loudspeakers?.first)
    }
}
