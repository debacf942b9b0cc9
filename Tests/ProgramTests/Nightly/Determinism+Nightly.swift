import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension DeterminismTests {
    @Test func `a session is deterministic, on an idle and on a busy machine`() throws {
        let filter = try FileSession.hostile("Invert")
        let session = try FileSession(
            """
            camera: \(FileSession.bundled("ColorBars", "", "pre-processors: [\(filter)]"))
            microphone: \(FileSession.bundled("Tone", "rate: 44100"))
            share: \(try FileSession.hostile("FollowsShare", "", """
                audio: \(try FileSession.hostile(
                    "BeepShareAudio", "ppm: 300, stamps: own, rate: 22050"))
                """))
            """, maximum: "320x180@30", duration: "8s", clock: "virtual",
            table: "[320x180@30, 160x90@30]",
            timeline: [
                "at: 1s, ceiling: 160x90@15", "at: 1500ms, do: mute",
                "at: 2s, share-ceiling: 160x90@10", "at: 2500ms, do: unmute",
                "at: 3s, ceiling: none", "at: 3s, set: camera.settings.pattern=grey",
                "at: 3s, do: pause share", "at: 4s, do: resume share", "at: 5s, do: stop camera",
                "at: 6s, do: start camera",
            ])
        let first = try record(session)
        var others = [try record(session)]
        let busy = try busyPrograms(Nightly.value(4, byDay: 0))
        if Nightly.isOn { others += [try record(session), try record(session)] }
        withExtendedLifetime(busy) {}
        for (file, bytes) in first {
            #expect(!bytes.isEmpty, "\(file)")
            for (place, other) in others.enumerated() {
                // Not compared by the macro, which would print everything.
                let isSame = other[file] == bytes
                #expect(isSame, "\(file) differs in run \(place + 2), and the last two were busy")
            }
        }
    }

    @Test(
        arguments: [
            "Burst", "Stall", "Sleeper", "ShapeShifter", "FollowsLate", "CountersOutside",
        ])
    func `irregular cameras are deterministic`(name: String) throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile(name))
            microphone: \(try FileSession.hostile("Overfeeds"))
            share: \(try FileSession.hostile("SteadyShare", "fps: 240", """
                audio: \(try FileSession.hostile("BeepShareAudio", "stamps: wall, ppm: -400"))
                """))
            """, maximum: "160x90@30", duration: "5s", clock: "virtual",
            timeline: ["at: 1s, ceiling: 80x45@15"])
        let first = try record(session)
        let busy = try busyPrograms(Nightly.value(3, byDay: 0))
        let second = try record(session)
        withExtendedLifetime(busy) {}
        for (file, bytes) in first {
            let isSame = second[file] == bytes
            #expect(isSame, "\(file) differs")
        }
    }

    @Test func `a session of a minute takes a fraction of a minute`() throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("FlashCamera"))
            microphone: \(try FileSession.hostile("BeepMic"))
            """, maximum: "64x36@30", duration: "1m", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.duration < .seconds(55), "\(run)")
        #expect(try session.picture("camera").frameCount == 1800)
    }

    @Test func `a plugin that sleeps on another clock is reported`() throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("SleepsReally"))
            share: \(try FileSession.hostile("SteadyShare"))
            """, maximum: "64x36@30", duration: "3s", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        try session.expectTrueReport(run)
        let lines = run.lines(of: "camera").split(separator: "\n").filter {
            $0.contains("wait_until_ns")
        }
        #expect(lines.count == 1, "named once, with the cure:\n\(run)")
        #expect(!run.lines(of: "share").contains("clock"), "\(run)")
        #expect(Cadence(try session.picture("share").marks().compactMap(\.self)).shown.count == 90)
    }

    /// Processes that keep the machine busy. By day, other tests do that.
    private func busyPrograms(_ count: Int) throws -> [ChildProcess] {
        try (0..<count).map { _ in
            // Reduced priority, for the tests in real time that run in parallel.
            try ChildProcess("nice", ["-n", "5", "sh", "-c", "while :; do :; done"])
        }
    }
}
