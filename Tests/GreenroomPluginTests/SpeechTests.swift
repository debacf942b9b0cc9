import GreenroomMedia
import GreenroomPlugin
import Synchronization
import Testing

/// Runs the real library of Speech and measures its audio.
@Suite struct SpeechTests {
    private static let rate = 22_050

    private func speech(_ settings: [(String, Given)]) throws -> FakeSession {
        let session = try FakeSession("Speech", of: bundledEntry("Speech"), settings: settings)
        try #require(session.initializeAudio() == .ok)
        return session
    }

    /// Lets a plugin send for a number of seconds.
    ///
    /// - Returns: The samples of this time.
    private func samples(_ session: FakeSession, seconds: Int64 = 6) throws -> [Int16] {
        let before = session.host.state.withLock { $0.blocks.count }
        try #require(session.run(nanoseconds: seconds * 1_000_000_000) == .ok)
        let blocks = session.host.state.withLock { $0.blocks }.dropFirst(before)
        #expect(blocks.allSatisfy { $0.sampleRate == Self.rate && $0.channels == 1 })
        return blocks.flatMap(\.samples)
    }

    private func log(_ session: FakeSession) -> [String] {
        session.host.state.withLock { $0.log.map { String($0.drop { $0 != " " }.dropFirst()) } }
    }

    /// How long a voice sounds, in seconds: to the last loud sample.
    private func length(_ samples: [Int16]) -> Double {
        Double(samples.lastIndex { $0.magnitude > 300 } ?? 0) / Double(Self.rate)
    }

    /// The pitch of a voice in Hz: the median of its vowels' pitches.
    private func pitch(_ samples: [Int16]) -> Double {
        let (window, lags) = (Self.rate / 20, Self.rate / 400...Self.rate / 60)
        let wave = samples.map(Double.init)
        var pitches: [Double] = []
        for start in stride(from: 0, to: wave.count - window - lags.upperBound, by: window) {
            func likeness(_ lag: Int) -> Double {
                var (product, one, other) = (0.0, 1.0, 1.0)
                for index in start..<start + window {
                    product += wave[index] * wave[index + lag]
                    one += wave[index] * wave[index]
                    other += wave[index + lag] * wave[index + lag]
                }
                return one > 1e6 * Double(window) ? product / (one * other).squareRoot() : 0
            }
            let all = lags.map(likeness)
            // A wave is like itself after several of its periods, too: the first one counts.
            guard let best = all.max(), best > 0.6,
                let first = all.indices.dropFirst().dropLast().first(where: {
                    all[$0] > 0.9 * best && all[$0] >= all[$0 - 1] && all[$0] >= all[$0 + 1]
                })
            else { continue }
            pitches.append(Double(Self.rate) / Double(lags.lowerBound + first))
        }
        return pitches.isEmpty ? 0 : pitches.sorted()[pitches.count / 2]
    }

    @Test func `a text is spoken from the start, and silence follows`() throws {
        let session = try speech([("text", .text("Good morning, everybody."))])
        let samples = try samples(session)
        #expect(samples.count == 6 * Self.rate)
        #expect((1.0...2.5).contains(length(samples)), "\(length(samples)) s")
        #expect(samples.max() ?? 0 > 5_000)
        #expect(log(session) == ["said \"Good morning, everybody.\", 0 waiting"])
    }

    @Test func `sentences are spoken in order, and a repeated sentence is spoken twice`() throws {
        let session = try speech([("text", .text("One. Two three four."))])
        for _ in 0..<2 {
            #expect(try session.set("say", .text("Ten minutes left.")) == .ok)
        }
        #expect(try session.set("pitch", .integer(60)) == .ok)
        #expect(try session.set("say", .text("")) == .ok)
        let samples = try samples(session, seconds: 10)
        #expect(
            log(session) == [
                "said \"One. Two three four.\", 2 waiting", "said \"Ten minutes left.\", 1 waiting",
                "said \"Ten minutes left.\", 0 waiting",
            ])
        // One sentence of the two takes at most 2 s.
        #expect(length(samples) > 3)
    }

    @Test func `a new text interrupts the speech and drops the waiting sentences`() throws {
        let session = try speech([("text", .text("A long story begins here. It goes on. And on."))])
        _ = try samples(session, seconds: 1)
        #expect(try session.set("text", .text("Stop!")) == .ok)
        _ = try samples(session, seconds: 4)
        #expect(log(session) == ["said \"Stop!\", 0 waiting"])
    }

    @Test func `rate and pitch change the sound`() throws {
        func spoken(_ name: String, _ value: Int64) throws -> [Int16] {
            try samples(
                speech([
                    ("text", .text("The quick brown fox jumps over the lazy dog.")),
                    (name, .integer(value)),
                ]), seconds: 8)
        }
        let (slow, fast) = (try spoken("rate", 100), try spoken("rate", 300))
        #expect(length(slow) > 2 * length(fast), "\(length(slow)) s, \(length(fast)) s")
        let (low, high) = (pitch(try spoken("pitch", 10)), pitch(try spoken("pitch", 95)))
        #expect(low > 50 && high > 1.5 * low, "\(low) Hz, \(high) Hz")
    }

    @Test func `two speech plugins in one process keep their own voices`() throws {
        let text = ("text", Given.text("We are waiting. We are waiting. We are waiting."))
        let sessions = [
            try speech([text, ("voice", .text("en+m3")), ("pitch", .integer(30))]),
            try speech([text, ("voice", .text("de+f2")), ("pitch", .integer(90))]),
        ]
        var heard: [[Int16]] = [[], []]
        for _ in 0..<4 {
            for (index, session) in sessions.enumerated() {
                heard[index] += try samples(session, seconds: 1)
            }
        }
        #expect(heard.allSatisfy { length($0) > 1 })
        let (low, high) = (pitch(heard[0]), pitch(heard[1]))
        #expect(low > 50 && high > 1.5 * low, "\(low) Hz, \(high) Hz")
    }

    @Test(arguments: [
        ("", []), (" \n \n", []), ("Hello", ["Hello"]),
        ("One?! Two…  Three\nFour", ["One?!", "Two…", "Three", "Four"]),
        ("Dr. Gray is here. He waits.", ["Dr. Gray is here.", "He waits."]),
        ("Version 1.2 is out.", ["Version 1.2 is out."]),
        ("He said \"stop!\" Then he left.", ["He said \"stop!\"", "Then he left."]),
        ("\u{1b}[2J", ["\u{1b}[2J"]),
    ])
    func `a text is split into sentences`(text: String, sentences: [String]) throws {
        let session = try speech([("text", .text(text)), ("rate", .integer(450))])
        _ = try samples(session, seconds: 12)
        #expect(
            log(session)
                == sentences.enumerated().map {
                    "said \"\($1)\", \(sentences.count - 1 - $0) waiting"
                })
    }

    @Test func `at most 200 sentences wait, and the log counts the dropped ones`() throws {
        let session = try speech([
            (
                "text",
                .text(String(repeating: "No! ", count: 250) + String(repeating: "9", count: 60_000))
            )
        ])
        #expect(
            log(session) == [
                "125 sentences dropped: 200 are waiting. Send the next sentence after the log "
                    + "reports that one has ended"
            ])
        _ = try samples(session, seconds: 1)
    }

    @Test(arguments: [
        "klingonese", "", "mb-de1", "MB-de1", "../../../etc/passwd", "en/../de", "en\n",
        String(repeating: "a", count: 300),
    ])
    func `an unknown voice is refused, and a running session keeps its voice`(voice: String) throws
    {
        let refusal = try #require(throws: FakeHost.Refusal.self) {
            try FakeSession(
                "Speech", of: bundledEntry("Speech"), settings: [("voice", .text(voice))])
        }
        #expect(refusal.status == .badSetting)
        let session = try speech([("text", .text("Hello there. Hello there."))])
        #expect(try session.set("voice", .text(voice)) == .ok)
        #expect(length(try samples(session)) > 1)
        #expect(log(session).first?.contains("has no voice") == true, "\(log(session))")
        #expect(log(session).last == "said \"Hello there.\", 0 waiting")
    }
}
