import GreenroomABI
@testable import GreenroomAudio
import GreenroomMedia
@testable import GreenroomRuntime
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomPluginInterface

/// A source of audio and the session's audio thread, in simulated time.
///
/// The source is silent except for a click at each second of true time, so that the output shows
/// the position of the audio on the timeline.
struct AudioSimulation: ~Copyable {
    /// The behaviour of a source.
    struct Source {
        var format = AudioFormat(sampleRate: 48_000, channels: 1)
        /// How much faster its card's clock runs, in ppm.
        var ppm = 0.0
        /// Frames of a block.
        var block: Int?
        /// The maximum delay of a block, in milliseconds.
        var jitter = 5.0
        /// The blocks of how many milliseconds arrive together; 0 for each by itself.
        var burst = 0.0
        /// The timestamp of a block whose first sample was captured at a time, in nanoseconds since
        /// the session's start; nil if none.
        var stamp: (@Sendable (Double) -> Int64)?
        /// Whether it waits for room.
        var isPatient = false
        /// Whether it sends without a timeout.
        var isLive = false
        /// Whether it sends as fast as possible.
        var isGreedy = false
    }

    /// The session's start on the session clock.
    static let epoch: Int64 = 36_000_000_000_000

    private(set) var ingest = IngestState()
    var source: Source
    /// Milliseconds between each second and its click.
    private(set) var clicks: [Double] = []
    private(set) var findings: [AudioAnomaly] = []
    /// Played samples of the left channel, if recorded.
    private(set) var played: [Int16] = []
    var keepsSamples = false
    /// Number of pulled frames.
    private(set) var place: Int64 = 0

    private var random = SeededGenerator(seed: 5)
    private var sent: Int64 = 0
    /// A sample, and its capture time in seconds, since when the source's clock has had its speed.
    private var origin = (sample: Int64(0), time: 0.0)
    private var nextClick = 1.0
    private var lastSecond = 0
    private var lateness = 0.0
    private var lastArrival = 0.0
    private var waited = false
    private var samples: [Int16]
    /// The clicks in `samples`.
    private var filled: [Int] = []
    private let blockFrames: Int

    init(_ source: Source) {
        self.source = source
        blockFrames = source.block ?? source.format.sampleRate / 100
        samples = [Int16](repeating: 0, count: blockFrames * source.format.channels)
        ingest.follow(.ok, at: Self.epoch - 1_000)
        ingest.begin(epoch: Self.epoch)
    }

    /// Advances session time in steps of 10 ms.
    mutating func run(seconds: Double) {
        let end = place + Int64(seconds * 48_000)
        var stretch = [Int16](repeating: 0, count: 960)
        while place < end {
            // A period is pulled 100 ms after its end.
            let now = Double(place + 480) / 48_000 + 0.1
            send(until: now)
            var span = stretch.mutableSpan
            ingest.pull(480, into: &span)
            if let finding = ingest.news.popFirst() { findings.append(finding) }
            listen(to: stretch)
            place += 480
        }
    }

    /// Changes the state of the source's lifecycle.
    mutating func follow(_ status: Status) { ingest.follow(status, at: now) }

    /// The current time on the session clock.
    var now: Int64 { Self.epoch + place * 1_000_000_000 / 48_000 + 100_000_000 }

    /// Omits audio: the source has nothing for some milliseconds.
    mutating func skip(milliseconds: Int) {
        sent += Int64(source.format.sampleRate * milliseconds / 1000)
    }

    /// The source's clock changes its speed.
    mutating func change(ppm: Double) {
        origin = (sent, time(of: sent))
        source.ppm = ppm
    }

    /// What the source sends arrives some milliseconds later, all at once.
    mutating func hold(milliseconds: Double) {
        lastArrival = Double(place) / 48_000 + 0.1 + milliseconds / 1000
    }

    /// The capture time of a sample, in seconds since the session's start.
    private func time(of sample: Int64) -> Double {
        origin.time
            + Double(sample - origin.sample)
            / (Double(source.format.sampleRate) * (1 + source.ppm / 1e6))
    }

    private mutating func send(until now: Double) {
        while true {
            var taken = time(of: sent + Int64(blockFrames))
            if source.burst > 0 {
                taken = (taken * 1000 / source.burst).rounded(.up) * source.burst / 1000
            }
            let arrival =
                source.isGreedy ? max(lastArrival, now - 0.01) : max(taken + lateness, lastArrival)
            guard arrival <= now else { return }
            let stamp = source.stamp.map { Self.epoch + $0(time(of: sent)) }
            fillClicks()
            let isTaken = offer(at: Self.epoch + Int64(arrival * 1e9), stamp)
            clearClicks()
            if !isTaken, source.isPatient {
                waited = true
                return
            }
            waited = false
            lastArrival = arrival
            lateness = source.jitter / 1000 * random.unit() * random.unit()
            sent += Int64(blockFrames)
        }
    }

    private mutating func fillClicks() {
        while time(of: sent + Int64(blockFrames)) > nextClick {
            var index = Int((nextClick - time(of: sent)) * Double(source.format.sampleRate))
            index = min(max(index, 0), blockFrames - 1)
            samples[index * source.format.channels] = 20_000
            filled.append(index * source.format.channels)
            nextClick += 1
        }
    }

    private mutating func clearClicks() {
        for index in filled { samples[index] = 0 }
        filled.removeAll(keepingCapacity: true)
    }

    private mutating func offer(at arrival: Int64, _ stamp: Int64?) -> Bool {
        ingest.offer(
            blockFrames, of: source.format, samples: samples, at: arrival, stamp: stamp,
            hasWaited: waited, isPatient: source.isPatient, isLive: source.isLive)
    }

    private mutating func listen(to stretch: [Int16]) {
        if keepsSamples { for frame in 0..<480 { played.append(stretch[frame * 2]) } }
        // Search for clicks near each second.
        let offset = Int(place % 48_000)
        guard offset < 9_600 || offset >= 48_000 - 4_800 else { return }
        let loudest = stretch.loudestFrame(channels: 2)
        guard abs(Int32(stretch[loudest * 2])) > 1_500 else { return }
        let time = Double(place + Int64(loudest)) / 48
        let late = time - (time / 1000).rounded() * 1000
        // A click may cross a border of blocks.
        let second = Int((time / 1000).rounded())
        guard second != lastSecond else { return }
        lastSecond = second
        clicks.append(late)
    }
}

extension AudioSimulation {
    /// How far from their seconds the last clicks were at most, in milliseconds.
    borrowing func worst(ofLast count: Int) -> Double {
        clicks.suffix(count).map(abs).max() ?? .infinity
    }

    /// Expects that every sent frame, and all elapsed time, is accounted for.
    borrowing func expectExact(sourceLocation: SourceLocation = #_sourceLocation) {
        let statistics = ingest.statistics
        let counts = statistics.queue
        #expect(
            counts.appended == counts.played + counts.beforeStart + counts.cut + statistics.queued,
            "\(counts), \(statistics.queued) queued", sourceLocation: sourceLocation)
        #expect(
            counts.played + counts.concealed + counts.idle + counts.muted == Int(place),
            "\(counts) in \(place)", sourceLocation: sourceLocation)
    }
}

extension IngestState {
    /// Sends a block like a plugin.
    ///
    /// - Returns: Whether there was room.
    mutating func offer(
        _ frames: Int, of format: AudioFormat, samples: [Int16]? = nil,
        at arrival: Int64 = AudioSimulation.epoch, stamp: Int64? = nil, hasWaited: Bool = false,
        isPatient: Bool = false, isLive: Bool = false
    ) -> Bool {
        let samples = samples ?? [Int16](repeating: 500, count: frames * format.channels)
        return samples.withUnsafeBufferPointer { samples in
            var block = gr_audio_block()
            block.struct_size = UInt32(MemoryLayout<gr_audio_block>.size)
            block.sample_rate_hz = UInt32(format.sampleRate)
            block.channels = UInt32(format.channels)
            block.frame_count = UInt32(frames)
            block.samples = samples.baseAddress
            block.size_bytes = UInt64(samples.count * 2)
            block.pts_ns = stamp ?? .min
            guard let checked = try? CheckedBlock(checking: &block) else { return false }
            guard hasRoom(for: checked) else {
                if !isPatient { refuse(checked, isLive: isLive) }
                return false
            }
            take(checked, arrival: arrival, isLive: isLive, hasWaited: hasWaited)
            return true
        }
    }
}
