import SessionTestSupport
import TestSupport
import Testing

/// Tests timeline and control commands in a running session.
@Suite(.ownThreads) struct SessionCommandTests {
    /// A session of every kind of source on the virtual clock.
    private func session(_ timeline: [String], duration: String = "3s") throws -> FileSession {
        try FileSession(
            """
            camera: \(try FileSession.hostile("Steady"))
            microphone: \(FileSession.bundled("Tone", "frequency: 1000, level: -12"))
            share: \(try FileSession.hostile("SteadyShare", "", """
                audio: \(FileSession.bundled("ToneShareAudio", "frequency: 1000, level: -12"))
                """))
            """, maximum: "160x90@30", duration: duration, clock: "virtual", timeline: timeline)
    }

    private func run(_ session: FileSession, frames: Int = 90) throws -> (Finished, Report) {
        let run = try session.run("--json")
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        for track in ["camera", "share"] {
            #expect(try session.picture(track).frameCount == frames, "\(track)")
            #expect(try session.sound(track).frameCount == frames * 1600, "\(track)")
        }
        return (run, report)
    }

    /// Silences of more than 10 ms in a recording, in milliseconds.
    private func silences(_ recording: WAVRecording) -> [ClosedRange<Int>] {
        var silences: [ClosedRange<Int>] = []
        var start: Int?
        let samples = recording.channels.first ?? []
        for (index, sample) in (samples + [1]).enumerated() {
            if sample == 0 {
                start = start ?? index
            } else if let begun = start {
                if index - begun > 480 { silences.append(begun / 48...index / 48) }
                start = nil
            }
        }
        return silences
    }

    @Test func `a muted microphone is silent, and no sample is missing`() throws {
        let session = try session(["at: 1s, do: mute", "at: 2s, do: unmute"])
        let (run, report) = try run(session)
        let silences = silences(try session.sound("camera"))
        // From the sample of one command to that of the other, and a block of 20 ms.
        try #require(silences.count == 1, "\(silences)\n\(run)")
        #expect(silences[0].lowerBound == 1000, "\(silences)")
        #expect((2000...2020).contains(silences[0].upperBound), "\(silences)")
        let sound = try report.sound("microphone")
        #expect(sound.muted + sound.idle >= 48_000 && sound.muted >= 47_000, "\(sound)")
        #expect(sound.concealed == 0, "\(sound)")
        let shareSilences = self.silences(try session.sound("share"))
        #expect(shareSilences.isEmpty, "the share continues")
        let calls = try report.plugin("microphone").callbacks
        #expect(calls["start-send"]?.calls == 2 && calls["stop-send"]?.calls == 2)
        let commands = try run.events.filter { $0.event == "commanded" }
        #expect(commands.map(\.origin) == ["timeline[0]", "timeline[1]"], "\(run.text)")
    }

    @Test func `the last frame of a paused share stays until resume`() throws {
        let session = try session(["at: 1s, do: pause share", "at: 2s, do: resume share"])
        let (run, report) = try run(session)
        let marks = try session.picture("share").marks()
        #expect(marks.allSatisfy { $0 != nil }, "never black")
        let cadence = Cadence(marks.compactMap(\.self))
        #expect(cadence.steps.allSatisfy { $0 == 1 }, "\(cadence)")
        let still = cadence.periods.filter { $0 > 1 }
        #expect(still.count == 1 && (30...32).contains(still.first ?? 0), "\(cadence)")
        #expect(
            cadence.shown.first { $0.periods > 1 }.map { (28...30).contains($0.number) } == true)
        let silences = silences(try session.sound("share"))
        #expect(silences.count == 1 && silences.first?.lowerBound == 1000, "\(silences)\n\(run)")
        #expect(try report.picture("share").outputs[0].black == 0)
        let others = self.silences(try session.sound("camera"))
        #expect(others.isEmpty, "the microphone continues")
        let camera = Cadence(try session.picture("camera").marks().compactMap(\.self))
        #expect(camera.periods == Array(repeating: 1, count: 90), "\(camera)")
    }

    @Test func `a stopped camera is black until it is started`() throws {
        let session = try session(["at: 1s, do: stop camera", "at: 2s, do: start camera"])
        let (run, report) = try run(session)
        let recording = try session.picture("camera")
        let marks = try recording.marks()
        let black = marks.indices.filter { marks[$0] == nil }
        let (first, last) = (black.first ?? 0, black.last ?? 0)
        #expect((30...31).contains(first) && (58...60).contains(last), "\(black)\n\(run)")
        #expect(black.count == last - first + 1, "\(black)")
        for index in black {
            #expect(
                try recording.frame(index)[80, 45].isNear(YUV(y: 16, u: 128, v: 128), within: 0))
        }
        #expect(try report.picture("camera").outputs[0].black == black.count)
        let cadence = Cadence(marks.compactMap(\.self))
        #expect(cadence.steps.allSatisfy { $0 == 1 }, "\(cadence)")
    }

    @Test func `a live parameter changes with the next frame`() throws {
        let session = try session(["at: 1s, set: camera.settings.tag=7"])
        let (run, _) = try run(session)
        let marks = try session.picture("camera").marks().compactMap(\.self)
        let first = try #require(marks.firstIndex { $0.tag == 7 }, "\(run)")
        #expect((30...31).contains(first), "\(first)")
        #expect(
            marks[first...].allSatisfy { $0.tag == 7 } && marks[..<first].allSatisfy { $0.tag == 0 }
        )
        #expect(try session.picture("share").marks().allSatisfy { $0?.tag == 0 })
    }

    @Test func `a bundled plugin changes its pattern while it runs`() throws {
        let session = try FileSession(
            "camera: \(FileSession.bundled("ColorBars", "counter: false, ball: false"))",
            maximum: "160x90@30", duration: "2s", clock: "virtual",
            timeline: ["at: 1s, set: camera.settings.pattern=grey"])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let recording = try session.picture("camera")
        #expect(recording.frameCount == 60)
        let chroma = try (0..<60).map { index in
            let pixel = try recording.frame(index)[30, 60]
            return abs(pixel.u - 128) + abs(pixel.v - 128)
        }
        let first = try #require(chroma.firstIndex { $0 < 4 }, "\(run)")
        #expect((30...31).contains(first), "\(chroma)")
        #expect(chroma[first...].allSatisfy { $0 < 4 } && chroma[..<first].allSatisfy { $0 > 20 })
    }

    @Test func `commands without effect are reported`() throws {
        let session = try session([
            "at: 1s, do: unmute", "at: 1s, do: resume share", "at: 1s, do: start camera",
        ])
        let (run, _) = try run(session)
        for index in 0..<3 {
            let told = try run.events("note", of: "timeline[\(index)]")
            #expect(told.count == 1 && told[0].text?.contains("already") == true, "\(run.text)")
        }
        #expect(try !run.events.contains { $0.event == "commanded" }, "\(run.text)")
        let plain = try self.session([])
        _ = try self.run(plain)
        for file in ["camera.y4m", "camera.wav", "share.y4m", "share.wav"] {
            #expect(
                try readFile("\(session.recording)/\(file)")
                    == readFile("\(plain.recording)/\(file)"),
                "\(file)")
        }
    }
}
