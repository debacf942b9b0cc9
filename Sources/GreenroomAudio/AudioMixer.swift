import GreenroomMedia
package import GreenroomRuntime

/// The thread that moves audio: every 10 ms it pulls the next 10 ms of the timeline out of each
/// source's queue and writes them to the outputs.
///
/// It runs ``SessionTimeline/playoutDelay`` behind the session's time. If filters delay audio, the outputs
/// get each position so much later, and every track is as late as the latest. Tracks of participants
/// come and go while it runs.
package final class AudioMixer: Sendable {
    /// One source and its own outputs; the loudspeakers get a sum.
    package struct Track: Sendable {
        package var source: any AudioSource
        package var sinks: [any AudioSink]
        /// Whose it is; nil for the session's own.
        package var participant: UInt32?

        package init(
            source: any AudioSource, sinks: [any AudioSink], participant: UInt32? = nil
        ) {
            self.source = source
            self.sinks = sinks
            self.participant = participant
        }
    }

    /// A sum of tracks.
    package enum Mix: Hashable, Sendable {
        /// The session's own.
        case own
        /// Those of all participants.
        case incoming
        /// The session's own, and those of all participants.
        case all
        /// All but those of a participant.
        case without(UInt32)
    }

    private static let stretch = AudioFormat.session.sampleRate / 100
    /// The same in nanoseconds: tracks begin and end between two such stretches.
    package static let stretchNanoseconds: Int64 = 10_000_000

    /// A track and the positions at which it begins and ends.
    private struct Entry {
        var track: Track
        var start: Int64 = 0
        var end: Int64 = .max
    }

    /// A sink of a mix, and the position from which it takes it.
    private struct Output {
        var mix: Mix
        var sink: any AudioSink
        var start: Int64 = 0
    }

    private struct State {
        /// The position at which to end, in frames; nil until it is known.
        var end: Int64?
        /// The next position to be pulled.
        var place: Int64 = 0
        var entries: [Entry]
        var mixSinks: [Output]
        /// Samples of the mixes above 16 bits.
        var clamped = 0
    }

    private let state: Monitor<State>
    private let clock: SessionClock
    /// How much later than it is pulled audio leaves its source, in frames: whole stretches.
    private let delay: Int64

    /// - Parameter delayFrames: How much later audio leaves every source than it was sent, in frames: what
    ///   ``wholeStretches(_:)`` returns.
    package init(
        tracks: [Track], mixSinks: [(mix: Mix, sink: any AudioSink)], delayFrames: Int = 0,
        clock: SessionClock
    ) {
        delay = Int64(delayFrames)
        state = Monitor(
            State(
                entries: tracks.map { Entry(track: $0) },
                mixSinks: mixSinks.map { Output(mix: $0.mix, sink: $0.sink) }))
        self.clock = clock
    }

    /// A delay, rounded up to stretches of 10 ms.
    package static func wholeStretches(_ frames: Int) -> Int {
        (frames + stretch - 1) / stretch * stretch
    }

    /// Samples of the mixes above 16 bits, which were clamped. [any]
    package var clampedSamples: Int { state.withLock { $0.clamped } }

    /// Sets the time at which the thread ends, in nanoseconds from the session's start.
    package func finish(at nanoseconds: Int64) {
        let end = Int128(nanoseconds) * Int128(AudioFormat.session.sampleRate)
        let place = Int64(clamping: (end + 500_000_000) / 1_000_000_000)
        // Waking the thread again at the time of a block would make it pull that block before the
        // sources stop.
        guard state.withLock({ $0.end }) != place else { return }
        state.change { $0.end = place }
    }

    // MARK: Participants

    /// Adds a participant's track, from the 10 ms on in which a time lies. [any]
    ///
    /// - Parameters:
    ///   - nanoseconds: From the session's start.
    ///   - make: Makes the track for its start, in nanoseconds from the session's start, before its
    ///     first samples are pulled.
    package func add(at nanoseconds: Int64, _ make: (Int64) -> Track) {
        state.withLock { state in
            let start = max(Self.block(at: nanoseconds), state.place)
            let track = make(Self.nanoseconds(at: start))
            state.entries.append(Entry(track: track, start: start))
        }
    }

    /// Ends a track at a time, or up to 10 ms later; what it sent for before is still written.
    /// [any]
    package func end(_ source: any AudioSource, at nanoseconds: Int64) {
        state.withLock { state in
            for index in state.entries.indices where state.entries[index].track.source === source {
                state.entries[index].end = Self.block(
                    at: nanoseconds + Self.stretchNanoseconds - 1)
            }
        }
    }

    /// Whether a track is still to be pulled. [any]
    package func has(_ source: any AudioSource) -> Bool {
        state.withLock { $0.entries.contains { $0.track.source === source } }
    }

    /// Connects a sink to a mix, from the 10 ms on in which a time lies. [any]
    ///
    /// - Parameters:
    ///   - nanoseconds: From the session's start.
    ///   - make: Makes the sink for its start, in nanoseconds from the session's start.
    package func add(to mix: Mix, at nanoseconds: Int64, _ make: (Int64) -> any AudioSink) {
        state.withLock { state in
            let start = max(Self.block(at: nanoseconds), state.place - delay)
            let sink = make(Self.nanoseconds(at: start))
            state.mixSinks.append(Output(mix: mix, sink: sink, start: start))
        }
    }

    /// Disconnects the sinks of a mix. [any]
    package func remove(_ mix: Mix) { state.withLock { $0.mixSinks.removeAll { $0.mix == mix } } }

    /// Whether a participant's audio is in a mix that something takes. [any]
    package func mixes(participant: UInt32) -> Bool {
        state.withLock { state in
            state.mixSinks.contains { !$0.sink.isIdle && $0.mix.has(participant) }
        }
    }

    /// The first position of the 10 ms in which a time lies.
    private static func block(at nanoseconds: Int64) -> Int64 {
        max(nanoseconds, 0) / stretchNanoseconds * Int64(stretch)
    }

    // MARK: The thread

    /// The mixer's thread. Ends after ``finish(at:)``, when the audio up to that time is written.
    ///
    /// - Parameter epoch: The session's start on its clock.
    package func run(epoch: Int64) {
        var stretch = [Int16](repeating: 0, count: Self.stretch * 2)
        var sums = AudioSums(sampleCount: Self.stretch * 2)
        // The position to pull; the outputs get the position `delay` before it.
        var place: Int64 = 0
        var last: Int64?
        while true {
            let next = place + Int64(Self.stretch)
            let due = Self.due(next, epoch: epoch, after: last)
            let end: Int64? = clock.wait(for: state, until: due) { state in
                if let end = state.end, end + delay < next { return end + delay }
                return nil
            }
            // The last block is the rest; it may be empty.
            let frames = Int(max(min((end ?? next) - place, Int64(Self.stretch)), 0))
            if frames > 0 { deliver(frames, at: place, &stretch, &sums) }
            if end != nil { return }
            place = next
            last = clock.now
        }
    }

    /// When the audio before a position is due.
    ///
    /// After the host has stood still, ten times as fast as time passes: the threads of its outputs have
    /// stood still as well, and their queues hold about a second.
    ///
    /// - Parameters:
    ///   - epoch: The session's start on its clock.
    ///   - last: When the audio before that was delivered; nil for none.
    static func due(_ place: Int64, epoch: Int64, after last: Int64?) -> Int64 {
        let due = epoch + SessionTimeline.playoutDelay + nanoseconds(at: place)
        return max(due, last.map { $0 + stretchNanoseconds / 10 } ?? due)
    }

    /// The time of a position, from the session's start.
    ///
    /// Whole seconds and the rest are converted separately: one product would exceed 64 bits after
    /// two days.
    package static func nanoseconds(
        at place: Int64, rate: Int = AudioFormat.session.sampleRate
    ) -> Int64 {
        let (seconds, frames) = place.quotientAndRemainder(dividingBy: Int64(rate))
        return seconds * 1_000_000_000 + frames * 1_000_000_000 / Int64(rate)
    }

    /// The position up to which blocks are due at a time.
    ///
    /// - Parameter nanoseconds: From the session's start.
    package static func duePlace(at nanoseconds: Int64) -> Int64 {
        let (elapsed, overflow) = nanoseconds.subtractingReportingOverflow(
            SessionTimeline.playoutDelay)
        return overflow ? 0 : block(at: elapsed)
    }

    private func deliver(
        _ frames: Int, at place: Int64, _ stretch: inout [Int16], _ sums: inout AudioSums
    ) {
        let written = place - delay
        let (entries, mixSinks) = state.withLock { state in
            state.place = place + Int64(Self.stretch)
            state.entries.removeAll { $0.end <= written }
            return (state.entries, state.mixSinks)
        }
        let taking = mixSinks.lazy.filter { !$0.sink.isIdle }
        sums.begin(frames * 2, for: taking.map(\.mix))
        for entry in entries where entry.start <= place {
            var samples = stretch.mutableSpan
            entry.track.source.pull(frames, into: &samples)
            guard entry.start <= written else { continue }
            let block = stretch.span.extracting(..<(frames * 2))
            for sink in entry.track.sinks { sink.write(block) }
            sums.add(block, of: entry.track.participant)
        }
        for output in mixSinks where output.start <= written {
            sums.withSamples(of: output.mix) { output.sink.write($0) }
        }
        for entry in entries { for sink in entry.track.sinks { sink.wake() } }
        for output in mixSinks { output.sink.wake() }
        let clamped = sums.clamped
        if clamped > 0 { state.withLock { $0.clamped += clamped } }
    }
}
