import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Commands that hear the participants of a call, speak and send captions.
@Suite(.ownThreads) struct CommandBotTests {
    private func session(
        _ settings: String, script: String, sources: String = "", duration: String = "2s",
        clock: String? = "virtual"
    ) throws -> FileSession {
        try FileSession(
            """
            \(sources)
            call: { plugin: LoopbackCall, settings: { script: "\(script)" } }
            """, maximum: "160x90@15", duration: duration, clock: clock,
            outputs: "[{ plugin: Command, settings: { \(settings) } }, { record: recording }]")
    }

    /// Reads a stream of participants.
    private static func records(_ bytes: [UInt8]) throws -> [(
        record: [String: Any], media: [UInt8]
    )] {
        var records: [(record: [String: Any], media: [UInt8])] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            let record = try #require(
                JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            let count = record["bytes"] as? Int ?? 0
            records.append((record, Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
        return records
    }

    @Test func `a command reads all participants in one stream, with names and times`() throws {
        let folder = try TemporaryFolder()
        let session = try session(
            "command: [sh, -c, 'exec cat > \"$0\"', '\(folder("stream"))'], track: participants, "
                + "rate: 16000, channels: 1",
            script: "Ana 0s microphone=440; Ben 500ms-1s microphone=880 camera")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let records = try Self.records(try readFile(folder("stream")))
        #expect(records.first?.record["record"] as? String == "greenroom-participants")
        #expect(records.first?.record["version"] as? Int == 1)
        let tracks = records.filter { $0.record["record"] as? String == "track" }.map(\.record)
        #expect(tracks.compactMap { $0["participant"] as? String } == ["Ana", "Ben"], "\(tracks)")
        #expect(tracks.allSatisfy { $0["kind"] as? String == "microphone" })
        for (track, frequency, least) in [(tracks[0], 440.0, 1.8), (tracks[1], 880.0, 0.4)] {
            let id = track["track"] as? Int
            let blocks = records.filter {
                $0.record["record"] as? String == "audio" && $0.record["track"] as? Int == id
            }
            let times = blocks.compactMap { $0.record["time"] as? Double }
            #expect(times == times.sorted() && times.count == blocks.count)
            let samples = blocks.flatMap(\.media).withUnsafeBytes {
                Array($0.bindMemory(to: Int16.self)).map { Double($0) / 32768 }
            }
            #expect(Double(samples.count) / 16_000 >= least, "\(samples.count)")
            let tone = try #require(
                Tone.frequency(of: samples.dropFirst(1600).prefix(4800), rate: 16_000))
            #expect(abs(tone - frequency) < 5, "\(tone)")
        }
        let ended = records.filter { $0.record["record"] as? String == "end" }
        #expect(ended.map { $0.record["track"] as? Int } == [tracks[1]["track"] as? Int])
    }

    @Test func `a command of one participant runs while their track is open`() throws {
        let folder = try TemporaryFolder()
        let session = try session(
            "command: [sh, -c, 'cat > \"$0.part\"; mv \"$0.part\" \"$0\"', '\(folder("ben"))'], "
                + "track: participant Ben microphone, rate: 16000, channels: 1",
            script: "Ana 0s microphone=440; Ben 500ms-1s microphone=880")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let bytes = try readFile(folder("ben"))
        #expect((12_000...20_000).contains(bytes.count), "\(bytes.count)\n\(run)")
        #expect(run.standardError.contains("sh ended with exit code 0"), "\(run)")
    }

    @Test func `a wrong track is an error that lists the right ones`() throws {
        let run = try session("command: [cat], track: participant Ana", script: "Ana 0s").run()
        #expect(run.exit == .code(65), "\(run)")
        #expect(
            run.standardError.contains(
                "track: \"participant Ana\" is not a track. Write one of camera, share, stage"),
            "\(run)")
    }

    /// On the real clock: a bot's answer takes real time.
    @Test(.nightly) func `a bot hears a participant, answers and sends a caption`() throws {
        let folder = try TemporaryFolder()
        let bot = try folder.write(
            "bot.py",
            """
            import array, json, math, sys
            captions = open(3, "w", buffering=1)
            tone = array.array("h", (int(9000 * math.sin(index * math.tau * 1000 / 16000))
                                     for index in range(8000))).tobytes()
            heard = set()
            while line := sys.stdin.buffer.readline():
                record = json.loads(line)
                samples = array.array("h", sys.stdin.buffer.read(record.get("bytes", 0)))
                if record["record"] == "audio" and max(map(abs, samples)) > 1000 \\
                        and record["track"] not in heard:
                    heard.add(record["track"])
                    print(record["time"], record["time"] + 1, "Bot", "I hear you", sep="\\t", file=captions)
                    sys.stdout.buffer.write(tone)
                    sys.stdout.buffer.flush()
            """)
        let session = try session(
            "command: [python3, '\(bot)'], track: participants, rate: 16000, channels: 1, "
                + "process: bot, captions: true",
            script: "Ana 1s microphone=440",
            sources: "microphone: { plugin: Command, settings: { process: bot, rate: 16000, "
                + "channels: 1 } }",
            duration: "4s", clock: nil)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let sound = try session.sound("camera")
        let tone = try #require(
            Tone.steadyFrequency(in: sound.channels[0], near: 1000, rate: sound.sampleRate),
            "\(run)")
        #expect(abs(tone.hertz - 1000) < 10 && tone.seconds > 0.05, "\(tone)")
        let captions = String(
            decoding: try readFile("\(session.recording)/captions.vtt"), as: UTF8.self)
        #expect(captions.contains("<v Bot>I hear you"), "\(captions)")
        #expect(run.standardError.contains("outputs[0]: Bot: I hear you"), "\(run)")
    }
}
