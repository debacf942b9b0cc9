@testable import GreenroomAudio
import GreenroomMedia
@testable import GreenroomRuntime
import Testing

@testable import GreenroomLifecycle

/// The pacing contract: too much audio, too little, and all at once.
@Suite struct AudioPacingTests {
    private func source(
        _ rate: Int = 48_000, ppm: Double = 0, block: Int? = nil
    ) -> AudioSimulation.Source {
        AudioSimulation.Source(
            format: AudioFormat(sampleRate: rate, channels: 1), ppm: ppm, block: block, jitter: 1)
    }

    @Test(arguments: [8_000, 48_000])
    func `11 % too much audio is bounded, and reported by name`(rate: Int) throws {
        var simulation = AudioSimulation(source(rate, ppm: 110_000))
        simulation.run(seconds: 30)
        let statistics = simulation.ingest.statistics
        #expect(statistics.queued <= JitterBuffer.capacity)
        #expect(statistics.queue.concealed == 0)
        let excess = statistics.pacing.excess
        #expect(abs(excess - 0.11) < 0.012, "\(excess)")
        let finding = try #require(simulation.findings.first)
        #expect(simulation.findings.count == 1)
        #expect(finding.text.hasPrefix("sends 11 % more audio than real time"))
        #expect(statistics.driftPPM == nil)
        simulation.expectExact()
    }

    @Test(arguments: [8_000, 48_000])
    func `too little audio is concealed, counted, and reported by name`(rate: Int) throws {
        var simulation = AudioSimulation(source(rate, ppm: -300_000))
        simulation.run(seconds: 30)
        let statistics = simulation.ingest.statistics
        let share = Double(statistics.queue.concealed) / Double(simulation.place)
        #expect(abs(share - 0.3) < 0.03, "\(share)")
        #expect(abs(statistics.pacing.shortage - 0.3) < 0.03)
        let texts = simulation.findings.map(\.text)
        #expect(texts.count == 1, "\(texts)")
        #expect(texts.first?.hasPrefix("sends 30 % less audio than real time") == true)
        simulation.expectExact()
    }

    @Test(arguments: [-100_000.0, 100_000], [true, false])
    func `a source that the host already paces is not advised to pass a timeout`(
        ppm: Double, isLive: Bool
    ) throws {
        var source = source(ppm: ppm)
        source.isLive = isLive
        var simulation = AudioSimulation(source)
        simulation.run(seconds: 30)
        let texts = simulation.findings.map(\.text)
        #expect(texts.count == 1, "\(texts)")
        #expect(texts[0].contains("pass a timeout to be paced by the host") == isLive, "\(texts)")
    }

    @Test(
        arguments: [-50_000.0, -40_000, -20_000, -10_000, -4_000], [true, false])
    func `slightly too little audio is concealed, counted and reported`(
        ppm: Double, isStamped: Bool
    ) throws {
        var source = source(ppm: ppm)
        if isStamped { source.stamp = { Int64($0 * 1e9) } }
        var simulation = AudioSimulation(source)
        simulation.run(seconds: ppm < -4_000 ? 30 : 125)
        let statistics = simulation.ingest.statistics
        let account = AudioAccount(statistics.queue, filters: nil)
        let part = Double(account.concealed) / Double(simulation.place) * 1e6
        // The queue gives what it has before anything is missing.
        #expect(part < -ppm && part > -ppm - 5_000, "\(part) of \(ppm)")
        // The first block comes when its last sample was taken.
        #expect(account.missing < 960 && account.stopped == 0, "\(account)")
        let texts = simulation.findings.map(\.text)
        #expect(texts.count == 1 && texts[0].contains("less audio than real time"), "\(texts)")
        #expect(abs(statistics.pacing.shortage + ppm / 1e6) < 0.012, "\(statistics.pacing)")
        simulation.expectExact()
    }

    @Test(
        arguments: [4_000.0, 10_000, 20_000, 50_000], [true, false])
    func `slightly too much audio is dropped or refused, counted and reported`(
        ppm: Double, isStamped: Bool
    ) throws {
        var source = source(ppm: ppm)
        if isStamped { source.stamp = { Int64($0 * 1e9) } }
        var simulation = AudioSimulation(source)
        simulation.run(seconds: ppm > 4_000 ? 30 : 125)
        let statistics = simulation.ingest.statistics
        #expect(statistics.queue.beforeStart == 0 && statistics.queue.concealed == 0)
        let texts = simulation.findings.map(\.text)
        #expect(texts.count == 1 && texts[0].contains("more audio than real time"), "\(texts)")
        #expect(abs(statistics.pacing.excess - ppm / 1e6) < 0.012, "\(statistics.pacing)")
        simulation.expectExact()
    }

    @Test(arguments: [-2_500.0, 2_500])
    func `audio of a drifting clock is stretched, and no sample is missing`(ppm: Double) {
        var simulation = AudioSimulation(source(ppm: ppm))
        simulation.run(seconds: 120)
        let statistics = simulation.ingest.statistics
        #expect(statistics.driftPPM != nil && statistics.queue.concealed == 0)
        #expect(statistics.queue.cut == 0 && statistics.pacing.excess == 0)
        #expect(statistics.pacing.shortage == 0)
        simulation.expectExact()
    }

    @Test(arguments: [
        (48_000, 4_800, 2), (48_000, 480, 20), (22_050, 2_205, 2), (11_025, 1_103, 2),
        (192_000, 19_200, 2), (8_000, 80, 20),
    ])
    func `the queue takes 200 ms, then refuses blocks until it has room`(
        rate: Int, block: Int, taken: Int
    ) {
        var ingest = IngestState()
        ingest.follow(.ok, at: AudioSimulation.epoch)
        ingest.begin(epoch: AudioSimulation.epoch)
        let format = AudioFormat(sampleRate: rate, channels: 1)
        var count = 0
        while ingest.offer(block, of: format), count < 100 { count += 1 }
        #expect(count == taken, "\(rate) Hz")
    }

    @Test(arguments: [8_000, 11_025, 22_050, 44_100, 48_000, 192_000])
    func `audio sent at once plays completely, and short blocks are accepted`(rate: Int) {
        var ingest = IngestState()
        ingest.follow(.ok, at: AudioSimulation.epoch)
        ingest.begin(epoch: AudioSimulation.epoch)
        let format = AudioFormat(sampleRate: rate, channels: 2)
        // 100 ms, and a last block of minimum length.
        for frames in [rate / 20, rate / 20 - 1, 1] {
            let isTaken = ingest.offer(frames, of: format)
            #expect(isTaken)
        }
        var output = [Int16](repeating: 0, count: 960)
        for _ in 0..<20 {
            var span = output.mutableSpan
            ingest.pull(480, into: &span)
        }
        let exact = Double(rate / 20 * 2) * 48_000 / Double(rate)
        #expect(abs(Double(ingest.statistics.queue.played) - exact) <= 1)
        #expect(ingest.statistics.queued == 0)
    }

    @Test func `a change of format during the stream loses nothing`() {
        var ingest = IngestState()
        ingest.follow(.ok, at: AudioSimulation.epoch)
        ingest.begin(epoch: AudioSimulation.epoch)
        var output = [Int16](repeating: 0, count: 960)
        var exact = 0.0
        for index in 0..<400 {
            let rate = [48_000, 44_100, 8_000, 16_000][index / 7 % 4]
            let format = AudioFormat(sampleRate: rate, channels: 1 + index / 14 % 2)
            let isTaken = ingest.offer(rate / 100, of: format)
            #expect(isTaken)
            exact += 480
            guard index >= 8 else { continue }
            var span = output.mutableSpan
            ingest.pull(480, into: &span)
        }
        let came = ingest.statistics.queue.appended
        // Rounding at each change, and the last filter's content.
        #expect(abs(Double(came) - exact) < 100, "\(came)")
        #expect(ingest.statistics.queue.concealed == 0)
        #expect(ingest.statistics.queue.cut == 0)
    }

    @Test(arguments: [
        8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 50_000, 50_400, 96_000,
        192_000,
    ])
    func `a second of audio at any rate becomes exactly 48000 frames`(
        rate: Int
    ) throws {
        for channels in 1...2 {
            var made = AudioConverter(
                from: AudioFormat(sampleRate: rate, channels: channels))
            guard var converter = made.take() else {
                Issue.record("no memory")
                return
            }
            var queue = JitterBuffer()
            queue.start(at: 0)
            queue.begin(at: 0)
            let samples = [Int16](repeating: 1000, count: rate / 10 * channels)
            var output = [Int16](repeating: 0, count: 9600)
            var first: Int?
            // After a second the filter has its initial phase, so all seconds are equal: ten of
            // them prove an hour.
            for second in 1...10 {
                var sent = 0
                var block = 1
                while sent < rate {
                    // Blocks of 10 ms if the rate has them, otherwise of alternating lengths.
                    let frames = min((rate + block % 100) / 100, rate - sent)
                    converter.convert(
                        samples.span.extracting(..<(frames * channels)), into: &queue)
                    sent += frames
                    block += 1
                    var span = output.mutableSpan
                    queue.pull(min(queue.queued, 480), into: &span)
                }
                let total = queue.counts.appended + converter.heldFrames
                first = first ?? total
                #expect(
                    total - (first ?? 0) == (second - 1) * 48_000,
                    "second \(second) of \(rate) Hz")
            }
            #expect(abs((first ?? 0) - 48_000) <= 1)
            #expect(queue.counts.cut == 0 && queue.counts.concealed == 0)
            converter.drain(into: &queue)
            #expect(abs(queue.counts.appended - 480_000) <= 1, "\(rate) Hz, all brought out")
        }
    }

    @Test func `clipping and offset are logged once, and are in the report`() {
        var ingest = IngestState()
        ingest.follow(.ok, at: AudioSimulation.epoch)
        ingest.begin(epoch: AudioSimulation.epoch)
        var output = [Int16](repeating: 0, count: 960)
        var texts: [String] = []
        let format = AudioFormat(sampleRate: 48_000, channels: 1)
        // A square wave mostly at its maximum, too loud.
        let loud = (0..<480).map { $0 % 48 < 36 ? Int16.max : Int16.min }
        for _ in 0..<500 {
            let isTaken = ingest.offer(480, of: format, samples: loud)
            #expect(isTaken)
            var span = output.mutableSpan
            ingest.pull(480, into: &span)
            if let finding = ingest.news.popFirst() { texts.append(finding.text) }
        }
        let level = ingest.statistics.level
        #expect(level.clipped == level.samples)
        #expect(abs(level.dcOffset - 0.5) < 0.001)
        #expect(abs((level.peakDBFS ?? -100)) < 0.001)
        #expect(texts.filter { $0.contains("are clipped") }.count == 1, "\(texts)")
        #expect(texts.filter { $0.contains("50 % of full scale") }.count == 1)
        #expect(texts.count == 2)
    }
}

@Suite struct AudioLevelTests {
    @Test(
        arguments: [
            ([0, 100, -200, 50], 0, 200), ([32_767, 0, 32_767, 0, 32_767], 0, 32_767),
            ([32_767, 32_767, 0], 0, 32_767), ([32_767, 32_767, 32_767, 0], 3, 32_767),
            ([0, -32_768, -32_768, -32_768, -32_767], 4, 32_768), ([0, 0], 0, 0),
        ] as [([Int16], Int, Int32)])
    func `runs at full scale count as clipped, single samples do not`(
        samples: [Int16], clipped: Int, peak: Int32
    ) {
        var mono = AudioLevel()
        mono.observe(samples.span, channels: 1)
        #expect(mono.clipped == clipped && mono.peak == peak)
        // The same on one channel, in two blocks; the other channel is silent.
        var stereo = AudioLevel()
        var both: [Int16] = []
        for sample in samples { both += [0, sample] }
        stereo.observe(both.span.extracting(..<2), channels: 2)
        stereo.observe(both.span.extracting(2...), channels: 2)
        #expect(stereo.clipped == clipped && stereo.peak == peak)
        #expect(stereo.samples == samples.count * 2)
        #expect((mono.peakDBFS == nil) == (peak == 0))
        #expect(abs(mono.dcOffset - 2 * stereo.dcOffset) < 1e-9)
    }
}
