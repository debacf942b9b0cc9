package import GreenroomAudio
import GreenroomMedia
package import GreenroomPluginInterface
package import GreenroomRuntime

/// Passes the audio of a track to an output plugin, in the format and the blocks that it wants.
///
/// The audio thread writes samples to a ring of a second without waiting; a thread of the sink's
/// converts them and calls the plugin. Of a plugin that is too slow samples are lost, counted, and
/// replaced by silence of the same length.
///
/// What the plugin wants may change: the samples so far are passed as it wanted them, the last block
/// shorter, and the next ones as it wants them then.
package final class PluginAudioSink: AudioSink {
    /// What the audio thread has left for the sink's.
    private enum Stretch {
        /// Frames in the ring.
        case frames(Int)
        /// Silence that stands for lost frames.
        case lost(Int)
        /// The plugin wants something else, or nothing, from a frame of the session on.
        case change(AudioTrackWant?, at: Int64)
    }

    /// The next task of the sink's thread.
    private enum Turn {
        /// Pass so many frames.
        case pass(Int)
        case change(AudioTrackWant?, at: Int64)
        case end
    }

    private struct State {
        /// A second; nil before the plugin wanted the track.
        var ring: SampleRing?
        /// Oldest first.
        var stretches: [Stretch] = []
        /// Whether the plugin wants the track.
        var isWanted = false
        /// Frames of the session so far.
        var total: Int64 = 0
        /// A change that begins with a later frame; nil without one.
        var coming: (want: AudioTrackWant?, place: Int64)?
        var isFinishing = false

        mutating func note(_ frames: Int, isLost: Bool) {
            switch stretches.last {
            case .frames(let before) where !isLost:
                stretches[stretches.count - 1] = .frames(before + frames)
            case .lost(let before) where isLost:
                stretches[stretches.count - 1] = .lost(before + frames)
            default: stretches.append(isLost ? .lost(frames) : .frames(frames))
            }
        }

        /// Makes the change that is due, if there is one.
        mutating func follow() {
            guard let next = coming, next.place <= total else { return }
            coming = nil
            change(to: next.want)
        }

        private mutating func change(to want: AudioTrackWant?) {
            // Of two changes at one frame the last counts.
            if case .change = stretches.last { stretches.removeLast() }
            stretches.append(.change(want, at: total))
            isWanted = want != nil
            if isWanted, ring == nil {
                ring = SampleRing(capacity: AudioFormat.session.sampleRate)
            }
        }

        /// Takes frames of the oldest stretch, at most some, with silence for lost ones, or a change.
        mutating func take(into output: inout MutableSpan<Int16>, _ limit: Int) -> Turn? {
            switch stretches.first {
            case .frames(let count):
                let frames = min(count, limit)
                _ = ring?.take(into: &output, at: 0, frames: frames)
                stretches[0] = .frames(count - frames)
                if frames == count { stretches.removeFirst() }
                return .pass(frames)
            case .lost(let count):
                let frames = min(count, limit)
                for index in 0..<(frames * 2) { output[index] = 0 }
                stretches[0] = .lost(count - frames)
                if frames == count { stretches.removeFirst() }
                return .pass(frames)
            case .change(let want, let place):
                stretches.removeFirst()
                return .change(want, at: place)
            case nil: return isFinishing ? .end : nil
            }
        }
    }

    /// How much is converted at a time: 10 ms.
    private static let stretch = AudioFormat.session.sampleRate / 100

    private let feed: OutputFeed
    private let instance: PluginInstance
    private let track: UInt32
    /// The start of the track, in nanoseconds from that of the session.
    private let start: Int64
    private let clock: SessionClock
    private let state = Monitor(State())
    /// Started as soon as the plugin wants the track.
    private let thread = Monitor<HostThread?>(nil)
    /// Frames lost, for the report. Written by the audio thread.
    private let lost = Monitor(0)

    /// - Parameters:
    ///   - want: What the plugin wants at first; nil for nothing.
    ///   - start: Of the track, in nanoseconds from the session's start.
    package init(
        _ feed: OutputFeed, _ instance: PluginInstance, track: UInt32, want: AudioTrackWant?,
        start: Int64 = 0, clock: SessionClock
    ) {
        self.feed = feed
        self.instance = instance
        self.track = track
        self.start = start
        self.clock = clock
        if want != nil { change(to: want, at: 0) }
    }

    /// Passes the samples that are not due yet as the plugin wants them now.
    ///
    /// - Parameter want: Nil for nothing.
    package func change(to want: AudioTrackWant?) {
        // The audio thread may be about to write what is due.
        change(to: want, at: AudioMixer.duePlace(at: clock.now - feed.epoch - start))
    }

    private func change(to want: AudioTrackWant?, at place: Int64) {
        state.change { state in
            state.coming = (want, place)
            state.follow()
        }
        guard want != nil else { return }
        thread.withLock { [self] thread in
            guard thread == nil else { return }
            let order = ClockOrder(
                part: .output, number: 1000 + 10 * instance.number + Int(track),
                owner: instance.number)
            thread = HostThread(
                name: feed.name, clock: clock, as: order
            ) { [feed, instance, track, start, clock, state] in
                Self.run(feed, instance, track, start, state, clock)
            }
        }
    }

    /// The sink's thread.
    private static func run(
        _ feed: OutputFeed, _ instance: PluginInstance, _ track: UInt32, _ start: Int64,
        _ state: Monitor<State>, _ clock: SessionClock
    ) {
        var samples = [Int16](repeating: 0, count: stretch * 2)
        var format = AudioFormat.session
        var blocks: AudioBlocks?
        var index: Int64 = 0
        func deliver(_ block: Span<Int16>) {
            let place = OutputFeed.BlockPlace(
                track: track, format: format, index: index,
                ptsNanoseconds: feed.epoch + start
                    + AudioMixer.nanoseconds(at: index, rate: format.sampleRate))
            feed.count(OutputFeed.Result(instance.take(block, place)), of: track)
            index += Int64(block.count / format.channels)
        }
        while true {
            let turn: Turn? = clock.wait(for: state, until: nil) { state in
                var output = samples.mutableSpan
                return state.take(into: &output, stretch)
            }
            switch turn {
            case .pass(let frames):
                blocks?.append(samples.span.extracting(..<(frames * 2)), deliver)
            case .change(let want, let place):
                blocks?.finish(deliver)
                blocks = nil
                guard let want else { continue }
                guard let made = AudioBlocks(want, from: place) else {
                    feed.leave()
                    return
                }
                blocks = consume made
                format = want.format
                index = Self.index(of: place, format.sampleRate)
            case .end, nil:
                blocks?.finish(deliver)
                return
            }
        }
    }

    /// The sample at a frame of the session's rate.
    fileprivate static func index(of frame: Int64, _ rate: Int) -> Int64 {
        let own = Int64(AudioFormat.session.sampleRate)
        let (seconds, rest) = frame.quotientAndRemainder(dividingBy: own)
        return seconds * Int64(rate) + (rest * Int64(rate) + own / 2) / own
    }

    package var isOfPlugin: Bool { true }

    package var isIdle: Bool { state.withLock { !$0.isWanted && $0.coming == nil } }

    package var health: SinkHealth {
        feed.hasFinished || isIdle ? .passive : feed.hasLeft ? .failed : .working
    }

    package func write(_ samples: Span<Int16>) {
        let frames = samples.count / 2
        // The sink's thread has nothing to do while the plugin wants nothing.
        let isUnwanted = state.withLock { state in
            guard !state.isWanted, state.coming == nil else { return false }
            state.total += Int64(frames)
            return true
        }
        guard !isUnwanted else { return }
        let isLost = state.change { state in
            state.follow()
            state.total += Int64(frames)
            guard state.isWanted else { return false }
            let isLost = (state.ring?.room ?? 0) < frames
            if !isLost { _ = state.ring?.append(samples, channels: 2) }
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
        guard let thread = thread.withLock({ $0 }), !thread.join(until: deadline) else { return }
        let rest = state.withLock { $0.ring?.count ?? 0 }
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
    /// The first frame of the session.
    private let first: Int64
    /// Frames of the session that were appended.
    private var appended: Int64 = 0
    /// Frames in blocks, and pending.
    private var made: Int64 = 0

    /// - Parameter first: The first frame of the session: blocks from there on follow those up to
    ///   there without a sample more or less.
    /// - Returns: nil if there is no memory.
    init?(_ want: AudioTrackWant, from first: Int64 = 0) {
        self.want = want
        self.first = first
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
        let wanted = want.format.sampleRate
        let end =
            PluginAudioSink.index(of: first + appended, wanted)
            - PluginAudioSink.index(of: first, wanted)
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
