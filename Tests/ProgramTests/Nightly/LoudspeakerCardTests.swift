import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests the session's audio on a simulated sound card with faults, in real time.
@Suite(.ownThreads) struct LoudspeakerCardTests {
    private let folder: TemporaryFolder
    private let configuration: ALSAConfiguration

    init() throws {
        folder = try TemporaryFolder()
        let library = folder("card.so")
        let build = try ChildProcess.run(
            "cc",
            [
                "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-DPIC",
                Checkout.root + "/Tests/ALSACard/card.c", "-o", library, "-lasound",
            ])
        guard build.exit == .code(0) else { throw Failure("\(build)") }
        configuration = try ALSAConfiguration(
            """
            pcm_type.test_card { lib "\(library)" }
            pcm.fast { type test_card ppm 300 file "\(folder("played.raw"))" }
            pcm.clumsy { type test_card underrun_ms 700 file "\(folder("played.raw"))" }
            pcm.loose { type test_card gone "\(folder("gone"))" }
            """)
    }

    private func start(on device: String, seconds: Int) throws -> ChildProcess {
        let session = try folder.write(
            "session.yaml",
            """
            session: { duration: \(seconds)s }
            microphone: { plugin: Tone, settings: { frequency: 440 } }
            outputs: [{ loudspeaker: "\(device)" }, { record: "\(folder("out"))" }]
            """)
        return try Greenroom.start(
            ["run", session], environment: ["ALSA_CONFIG_PATH": configuration.path])
    }

    private func count(_ name: String) throws -> Int? {
        let json = try JSONSerialization.jsonObject(
            with: Data(readFile(folder("out/session.json"))))
        let loudspeakers = (json as? [String: Any])?["loudspeakers"] as? [[String: Any]]
        return (try #require(loudspeakers?.first)[name] as? NSNumber)?.intValue
    }

    /// Every frame of the session was played or counted as lost.
    private func expectEveryFrame(of seconds: Int) throws {
        let played = try #require(try count("played"))
        let dropped = try #require(try count("dropped"))
        #expect(played + dropped == seconds * 48_000)
    }

    /// The left channel as played by the card.
    private func played() throws -> [Double] {
        let bytes = try readFile(folder("played.raw"))
        return stride(from: 0, to: bytes.count - 3, by: 4).map { index in
            Double(Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8))
        }
    }

    @Test func `a card plays at its own pace, and its drift is measured`() throws {
        let run = try start(on: "fast", seconds: 15).wait()
        #expect(run.exit == .code(0), "\(run)")
        let tone = try #require(Tone.steadyFrequency(in: played(), near: 440, rate: 48_000))
        // It is never stretched by more than 1000 ppm, which is 0.44 Hz.
        #expect(abs(tone.hertz - 440) < 0.5 && tone.seconds > 0.5, "\(tone)\n\(run)")
        try expectEveryFrame(of: 15)
        // Finds a second without interruptions.
        #expect(try count("driftPPM") != nil, "\(run)")
    }

    @Test func `an underrun is counted, and audio continues`() throws {
        let run = try start(on: "clumsy", seconds: 2).wait()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("loudspeaker clumsy: "), "the summary tells")
        #expect(try #require(try count("underruns")) >= 1)
        try expectEveryFrame(of: 2)
        // There is audio long after the fault.
        let sound = try played()
        #expect(Tone.loudness(of: sound.dropFirst(60_000).prefix(24_000)) > 100)
    }

    @Test func `a lost card plays again after its return`() throws {
        let run = try start(on: "loose", seconds: 10)
        #expect(run.waitForErrors(containing: "sending"))
        sleep(1)
        try folder.write("gone", "")
        #expect(run.waitForErrors(containing: "Retrying"))
        unlink(folder("gone"))
        #expect(run.waitForErrors(containing: "the device is back"))
        let end = run.wait()
        #expect(end.exit == .code(0), "\(end)")
        #expect(try count("reopened") == 1)
        try expectEveryFrame(of: 10)
        #expect(try #require(try count("dropped")) > 24_000)
        #expect(try #require(try count("played")) > 24_000)
    }

    @Test func `a card that does not return fails the run, which still ends in time`() throws {
        let run = try start(on: "loose", seconds: 3)
        #expect(run.waitForErrors(containing: "sending"))
        try folder.write("gone", "")
        let end = run.wait()
        #expect(end.exit == .code(74), "\(end)")
        #expect(end.standardError.contains("loudspeaker loose: failed: "))
        #expect(end.duration < .seconds(15))
        try expectEveryFrame(of: 3)
    }
}
