package import GreenroomAudio
import GreenroomMedia
package import GreenroomPluginInterface
package import GreenroomRuntime
import Synchronization

/// Passes the audio of a track to an output plugin, in the wanted format and block length.
///
/// The session's audio thread writes samples to a ring of a second without waiting; the output's
/// ``PluginAudioThread`` converts them and calls the plugin. If the plugin is too slow, samples are lost,
/// counted, and replaced by silence of the same length.
///
/// If the plugin changes its want, the old format applies to the earlier samples, with a shorter
/// last block. The new format applies to later samples.
package final class PluginAudioSink: AudioSink {
    /// A run of samples, or a change of the want, that the session's audio thread queues.
    private enum Stretch {
        /// Frames in the ring.
        case frames(Int)
        /// Silence that replaces lost frames.
        case lost(Int)
        /// A new want, or nil to stop, from a frame of the session on.
        case change(AudioTrackRequest?, at: Int64)
    }

    /// The next task of the output's thread.
    private enum Turn {
        /// Pass this number of frames.
        case pass(Int)
        case change(AudioTrackRequest?, at: Int64)
        case end
    }

    private struct Queue {
        /// A ring of one second; nil before the plugin wanted the track.
        var ring: SampleRing?
        /// The queued stretches, oldest first.
        var stretches: [Stretch] = []
        /// Whether the plugin wants the track.
        var isWanted = false
        /// The number of frames of the session so far.
        var total: Int64 = 0
        /// A change that begins with a later frame; nil if there is none.
        var coming: (want: AudioTrackRequest?, place: Int64)?
        /// The number of lost frames, for the report.
        var lost = 0
        var isFinishing = false
        /// Whether the output's thread has work and has not been woken.
        var hasNews = false

        /// Appends 10 ms of samples that the plugin wants, or silence if the ring is full.
        mutating func append(_ samples: Span<Int16>) {
            let frames = samples.count / 2
            hasNews = true
            guard (ring?.room ?? 0) >= frames else {
                lost += frames
                return note(frames, isLost: true)
            }
            _ = ring?.append(samples, channels: 2)
            note(frames, isLost: false)
        }

        private mutating func note(_ frames: Int, isLost: Bool) {
            switch stretches.last {
            case .frames(let before) where !isLost:
                stretches[stretches.count - 1] = .frames(before + frames)
            case .lost(let before) where isLost:
                stretches[stretches.count - 1] = .lost(before + frames)
            default: stretches.append(isLost ? .lost(frames) : .frames(frames))
            }
        }

        /// Applies the change that is due.
        ///
        /// - Returns: Whether there was one.
        mutating func follow() -> Bool {
            guard let next = coming, next.place <= total else { return false }
            coming = nil
            change(to: next.want)
            return true
        }

        private mutating func change(to want: AudioTrackRequest?) {
            // The last of two changes at one frame applies.
            if case .change = stretches.last { stretches.removeLast() }
            stretches.append(.change(want, at: total))
            hasNews = true
            isWanted = want != nil
            if isWanted, ring == nil {
                ring = SampleRing(capacity: AudioFormat.session.sampleRate)
            }
        }

        /// Takes frames of the oldest stretch, up to a limit, with silence for lost frames, or
        /// takes a change.
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

    /// The next block's format and first sample.
    private struct Position {
        var format = AudioFormat.session
        var index: Int64 = 0
    }

    fileprivate let track: UInt32
    private let thread: PluginAudioThread
    /// The track's start in session time, in nanoseconds.
    private let start: Int64
    private let queue = Mutex(Queue())
    /// Safe: the output's thread alone uses both, and an output has one such thread at a time.
    nonisolated(unsafe) private var blocks: AudioBlocks?
    nonisolated(unsafe) private var position = Position()

    fileprivate init(_ thread: PluginAudioThread, track: UInt32, start: Int64) {
        self.thread = thread
        self.track = track
        self.start = start
    }

    private var feed: OutputFeed { thread.feed }

    /// Changes the want for the samples that are not due yet.
    ///
    /// - Parameter want: The new want; nil to stop.
    package func change(to want: AudioTrackRequest?) {
        // The audio thread may be about to write samples that are due.
        change(to: want, at: AudioMixer.duePlace(at: thread.clock.now - feed.epoch - start))
    }

    fileprivate func change(to want: AudioTrackRequest?, at place: Int64) {
        queue.withLock { queue in
            queue.coming = (want, place)
            _ = queue.follow()
        }
        if want != nil { thread.serve(self) }
        wake()
    }

    // MARK: The output's thread

    /// Does the next task.
    ///
    /// - Parameter samples: A buffer of 10 ms.
    /// - Returns: Whether there was a task; nil after the last one.
    fileprivate func takeTurn(_ samples: inout [Int16]) -> Bool? {
        let turn = queue.withLock { queue in
            var output = samples.mutableSpan
            return queue.take(into: &output, PluginAudioThread.stretch)
        }
        switch turn {
        case .pass(let frames):
            blocks?.append(samples.span.extracting(..<(frames * 2)), deliver)
        case .change(let want, let place):
            blocks?.finish(deliver)
            blocks = nil
            guard let want else { break }
            guard let made = AudioBlocks(want, from: place) else {
                feed.leave()
                return nil
            }
            blocks = consume made
            position = Position(
                format: want.format, index: Self.index(of: place, want.format.sampleRate))
        case .end:
            blocks?.finish(deliver)
            blocks = nil
            return nil
        case nil: return false
        }
        return true
    }

    private func deliver(_ block: Span<Int16>) {
        let (format, index) = (position.format, position.index)
        let place = OutputFeed.BlockPlace(
            track: track, format: format, index: index,
            ptsNanoseconds: feed.epoch + start
                + AudioMixer.nanoseconds(at: index, rate: format.sampleRate))
        feed.count(
            feed.leavesOut(track)
                ? .away : OutputFeed.Result(thread.instance.take(block, place)), of: track)
        position.index += Int64(block.count / format.channels)
    }

    /// The sample at a frame of the session's rate.
    fileprivate static func index(of frame: Int64, _ rate: Int) -> Int64 {
        let own = Int64(AudioFormat.session.sampleRate)
        let (seconds, rest) = frame.quotientAndRemainder(dividingBy: own)
        return seconds * Int64(rate) + (rest * Int64(rate) + own / 2) / own
    }

    // MARK: AudioSink

    package var isOfPlugin: Bool { true }

    package var isIdle: Bool { queue.withLock { !$0.isWanted && $0.coming == nil } }

    package var health: SinkHealth {
        feed.hasFinished || isIdle ? .passive : feed.hasLeft ? .failed : .working
    }

    package func write(_ samples: Span<Int16>) {
        let frames = samples.count / 2
        let (hasChanged, lost) = queue.withLock { queue -> (Bool, Int?) in
            let hasChanged = queue.follow()
            queue.total += Int64(frames)
            guard queue.isWanted else { return (hasChanged, nil) }
            let before = queue.lost
            queue.append(samples)
            return (hasChanged, queue.lost == before ? nil : queue.lost)
        }
        // The session applies the next change.
        if hasChanged { thread.instance.wakeSession() }
        if let lost { feed.count(lostSamples: lost, of: track) }
    }

    package func skip(_ frames: Int) { queue.withLock { $0.total += Int64(frames) } }

    package func wake() {
        let hasNews = queue.withLock { queue in
            defer { queue.hasNews = false }
            return queue.hasNews
        }
        if hasNews { thread.wake() }
    }

    package func beginFinish() {
        queue.withLock { queue in
            queue.isFinishing = true
            queue.hasNews = true
        }
        wake()
    }

    package func finish(until deadline: Int64) {
        beginFinish()
        guard !thread.waitForEnd(of: self, until: deadline) else { return }
        let lost = queue.withLock { $0.lost + ($0.ring?.count ?? 0) }
        feed.count(lostSamples: lost, of: track)
        feed.tellOfRest()
    }
}

/// The thread that passes an output plugin its audio, of all tracks that it wants.
///
/// The thread runs while a sink is not finished. It takes 10 ms of each track in turn, so that a slow
/// plugin loses samples of all tracks alike.
package final class PluginAudioThread: Sendable {
    private struct State {
        /// The sinks, in the order of their tracks.
        var sinks: [PluginAudioSink] = []
        /// Whether a sink has a task.
        var hasNews = false
        var isRunning = false
    }

    /// The length of one conversion: 10 ms.
    fileprivate static let stretch = AudioFormat.session.sampleRate / 100

    fileprivate let feed: OutputFeed
    fileprivate let instance: PluginInstance
    fileprivate let clock: SessionClock
    /// Never locked together with a sink's queue.
    private let state = Monitor(State())

    package init(_ feed: OutputFeed, _ instance: PluginInstance, clock: SessionClock) {
        self.feed = feed
        self.instance = instance
        self.clock = clock
    }

    /// Makes the sink of a track.
    ///
    /// - Parameters:
    ///   - want: The plugin's first want; nil if none.
    ///   - start: The track's start, in nanoseconds from the session's start.
    package func sink(
        of track: UInt32, want: AudioTrackRequest?, start: Int64 = 0
    ) -> PluginAudioSink {
        let sink = PluginAudioSink(self, track: track, start: start)
        if want != nil { sink.change(to: want, at: 0) }
        return sink
    }

    /// Serves a sink from now on, until its end.
    fileprivate func serve(_ sink: PluginAudioSink) {
        let mustStart = state.withLock { state in
            guard !state.sinks.contains(where: { $0 === sink }) else { return false }
            let place = state.sinks.firstIndex { $0.track > sink.track } ?? state.sinks.count
            state.sinks.insert(sink, at: place)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart else { return }
        // A number above all tracks', so that audio follows all video of the same time.
        let order = ClockOrder(
            part: .output, number: 1 << 32 + instance.number, owner: instance.number)
        _ = HostThread(name: feed.name, clock: clock, as: order) { [self] in run() }
    }

    fileprivate func wake() { state.change { $0.hasNews = true } }

    /// - Parameter deadline: The time on the host clock at which the wait ends.
    /// - Returns: Whether the sink has passed all its samples.
    fileprivate func waitForEnd(of sink: PluginAudioSink, until deadline: Int64) -> Bool {
        state.wait(until: deadline, on: clock.host) { state in
            state.sinks.contains { $0 === sink } ? nil : true
        } ?? false
    }

    private func run() {
        var samples = [Int16](repeating: 0, count: Self.stretch * 2)
        while let sinks = nextSinks() {
            var isBusy = true
            while isBusy {
                isBusy = false
                for sink in sinks {
                    switch sink.takeTurn(&samples) {
                    case true: isBusy = true
                    case false: break
                    case nil: state.change { $0.sinks.removeAll { $0 === sink } }
                    }
                }
            }
        }
    }

    /// Waits until a sink has a task.
    ///
    /// - Returns: All sinks; nil if no sink is left and the thread ends.
    private func nextSinks() -> [PluginAudioSink]? {
        let sinks: [PluginAudioSink]? = clock.wait(for: state, until: nil) { state in
            guard !state.sinks.isEmpty else {
                state.isRunning = false
                return []
            }
            defer { state.hasNews = false }
            return state.hasNews ? state.sinks : nil
        }
        return sinks.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Converts audio from the session's format into blocks of another format, without losing a sample.
struct AudioBlocks: ~Copyable {
    private let want: AudioTrackRequest
    private var resampler: Resampler?
    /// The samples of a stretch in the wanted channels, before the change of the rate.
    private var mixed: [Int16] = []
    private var resampled: [Int16]
    /// The samples of a block that is not full.
    private var pending: [Int16] = []
    /// The first frame of the session.
    private let first: Int64
    /// Frames of the session that were appended.
    private var appended: Int64 = 0
    /// Frames in finished blocks and in the pending block.
    private var made: Int64 = 0

    /// - Parameter first: The first frame of the session. Blocks from this frame on follow earlier
    ///   blocks without a missing or extra sample.
    /// - Returns: nil if there is no memory.
    init?(_ want: AudioTrackRequest, from first: Int64 = 0) {
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

    /// Passes the remaining samples: all samples of the session so far, rounded to a whole sample.
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

    /// Mixes stereo samples into the wanted channels.
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
