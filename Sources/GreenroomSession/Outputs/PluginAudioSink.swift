package import GreenroomAudio
import GreenroomMedia
package import GreenroomPluginInterface
package import GreenroomRuntime

/// Passes the audio of a track to an output plugin, in the format and the blocks that it wants.
///
/// The audio thread writes samples to a ring of a second without waiting; a thread of the sink's
/// converts them and calls the plugin. Of a plugin that is too slow samples are lost, counted, and
/// replaced by silence of the same length.
package final class PluginAudioSink: AudioSink {
    private struct State {
        var ring = SampleRing(capacity: AudioFormat.session.sampleRate)
        /// Stretches of the ring's frames and of silence that stands for lost ones, by turns, oldest
        /// first.
        var stretches: [(isLost: Bool, frames: Int)] = []
        var isFinishing = false

        mutating func note(_ frames: Int, isLost: Bool) {
            if let last = stretches.last, last.isLost == isLost {
                stretches[stretches.count - 1].frames += frames
            } else {
                stretches.append((isLost, frames))
            }
        }

        /// Takes frames of the oldest stretch, at most some; silence for lost ones.
        mutating func take(into output: inout MutableSpan<Int16>, _ limit: Int) -> Int {
            guard let first = stretches.first else { return 0 }
            let frames = min(first.frames, limit)
            if first.isLost {
                for index in 0..<(frames * 2) { output[index] = 0 }
            } else {
                _ = ring.take(into: &output, at: 0, frames: frames)
            }
            stretches[0].frames -= frames
            if stretches[0].frames == 0 { stretches.removeFirst() }
            return frames
        }
    }

    /// How much is converted at a time: 10 ms.
    private static let stretch = AudioFormat.session.sampleRate / 100

    private let feed: OutputFeed
    private let track: UInt32
    private let state: Monitor<State>
    private let thread: HostThread
    /// Frames lost, for the report. Written by the audio thread.
    private let lost = Monitor(0)

    /// Starts the sink's thread.
    ///
    /// - Parameter start: Of the track, in nanoseconds from the session's start.
    package init(
        _ feed: OutputFeed, _ instance: PluginInstance, track: UInt32, want: AudioTrackWant,
        start: Int64 = 0, clock: SessionClock
    ) {
        self.feed = feed
        self.track = track
        let state = Monitor(State())
        self.state = state
        let order = ClockOrder(
            part: .output, number: 1000 + 10 * instance.number + Int(track),
            owner: instance.number)
        thread = HostThread(name: feed.name, clock: clock, as: order) {
            guard var blocks = AudioBlocks(want) else {
                feed.leave()
                return
            }
            var samples = [Int16](repeating: 0, count: Self.stretch * 2)
            var delivered: Int64 = 0
            func deliver(_ block: Span<Int16>) {
                let nanoseconds = AudioMixer.nanoseconds(
                    at: delivered, rate: want.format.sampleRate)
                let place = OutputFeed.BlockPlace(
                    track: track, format: want.format, index: delivered,
                    ptsNanoseconds: feed.epoch + start + nanoseconds)
                feed.count(OutputFeed.Result(instance.take(block, place)), of: track)
                delivered += Int64(block.count / want.format.channels)
            }
            while true {
                let taken: Int? = clock.wait(for: state, until: nil) { state in
                    var output = samples.mutableSpan
                    let taken = state.take(into: &output, Self.stretch)
                    return taken > 0 || state.isFinishing ? taken : nil
                }
                guard let taken, taken > 0 else { break }
                blocks.append(samples.span.extracting(..<(taken * 2)), deliver)
            }
            blocks.finish(deliver)
        }
    }

    package var isOfPlugin: Bool { true }

    package var health: SinkHealth {
        feed.hasFinished ? .passive : feed.hasLeft ? .failed : .working
    }

    package func write(_ samples: Span<Int16>) {
        let frames = samples.count / 2
        let isLost = state.change { state in
            let isLost = state.ring.room < frames
            if !isLost { _ = state.ring.append(samples, channels: 2) }
            state.note(frames, isLost: isLost)
            return isLost
        }
        guard isLost else { return }
        let total = lost.withLock { lost in
            lost += frames
            return lost
        }
        feed.count(lostSamples: total, of: track)
    }

    package func beginFinish() { state.change { $0.isFinishing = true } }

    package func finish(until deadline: Int64) {
        beginFinish()
        guard !thread.join(until: deadline) else { return }
        let rest = state.withLock { $0.ring.count }
        feed.count(lostSamples: lost.withLock { $0 } + rest, of: track)
        feed.tellOfRest()
    }
}

/// Turns audio of the session's format into blocks of another one, without losing a sample.
struct AudioBlocks: ~Copyable {
    private let want: AudioTrackWant
    private var resampler: Resampler?
    /// The samples of a stretch in the wanted channels, before its rate is changed.
    private var mixed: [Int16] = []
    private var resampled: [Int16]
    /// Samples of a block that is not full.
    private var pending: [Int16] = []
    /// Frames of the session that were appended.
    private var appended: Int64 = 0
    /// Frames in blocks, and pending.
    private var made: Int64 = 0

    /// - Returns: nil if there is no memory.
    init?(_ want: AudioTrackWant) {
        self.want = want
        let rate = AudioFormat.session.sampleRate
        guard want.format.sampleRate != rate else {
            resampled = []
            return
        }
        let input = AudioFormat(sampleRate: rate, channels: want.format.channels)
        guard let resampler = Resampler(from: input, to: want.format.sampleRate) else { return nil }
        resampled = [Int16](
            repeating: 0, count: resampler.frameLimit(from: rate / 10) * input.channels)
        self.resampler = consume resampler
        mixed.reserveCapacity(rate / 10 * 2)
        pending.reserveCapacity(want.blockFrames * input.channels + resampled.count)
    }

    /// Appends stereo samples, at most 100 ms, and passes each block that is full.
    mutating func append(_ samples: Span<Int16>, _ deliver: (Span<Int16>) -> Void) {
        appended += Int64(samples.count / 2)
        mix(samples)
        convert(deliver)
    }

    /// Passes what is left: all samples of the session so far, rounded to a whole one.
    mutating func finish(_ deliver: (Span<Int16>) -> Void) {
        let rate = Int64(AudioFormat.session.sampleRate)
        let (seconds, rest) = appended.quotientAndRemainder(dividingBy: rate)
        let wanted = Int64(want.format.sampleRate)
        let end = seconds * wanted + (rest * wanted + rate / 2) / rate
        let channels = want.format.channels
        // The filter holds back a few milliseconds; the margin covers its rounding.
        for _ in 0..<4 where made < end {
            mixed.removeAll(keepingCapacity: true)
            mixed.append(contentsOf: repeatElement(0, count: Int(rate) / 100 * channels))
            convert(deliver, until: end)
        }
        if !pending.isEmpty { deliver(pending.span) }
        pending.removeAll()
    }

    /// Brings stereo samples into the wanted channels.
    private mutating func mix(_ samples: Span<Int16>) {
        mixed.removeAll(keepingCapacity: true)
        if want.format.channels == 2 {
            for index in samples.indices { mixed.append(samples[index]) }
        } else {
            for frame in 0..<(samples.count / 2) {
                let sum = Int32(samples[frame * 2]) + Int32(samples[frame * 2 + 1])
                mixed.append(Int16(clamping: sum / 2))
            }
        }
    }

    private mutating func convert(
        _ deliver: (Span<Int16>) -> Void, until end: Int64 = .max
    ) {
        let channels = want.format.channels
        let input = mixed
        guard var resampler = resampler.take() else {
            take(input.span, until: end, deliver)
            return
        }
        var offset = 0
        while offset < input.count {
            let (consumed, produced) = resampler.process(
                input.span.extracting(offset...), into: &resampled)
            let output = resampled
            take(output.span.extracting(..<(produced * channels)), until: end, deliver)
            guard consumed > 0 else { break }
            offset += consumed * channels
        }
        self.resampler = consume resampler
    }

    private mutating func take(
        _ samples: Span<Int16>, until end: Int64, _ deliver: (Span<Int16>) -> Void
    ) {
        let channels = want.format.channels
        let block = want.blockFrames * channels
        let frames = Int(min(Int64(samples.count / channels), end - made))
        made += Int64(max(frames, 0))
        for index in 0..<(max(frames, 0) * channels) {
            pending.append(samples[index])
            guard pending.count == block else { continue }
            deliver(pending.span)
            pending.removeAll(keepingCapacity: true)
        }
    }
}
