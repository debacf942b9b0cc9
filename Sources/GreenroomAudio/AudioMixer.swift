import GreenroomMedia
package import GreenroomRuntime

/// The thread that moves audio. Every 10 ms it pulls the next 10 ms of the timeline from the queue
/// of each source, and writes them to the outputs. It rests while no source exists and no output wants audio.
///
/// The mixer runs ``SessionTimeline/playoutDelay`` behind the session's time. If filters delay
/// audio, the outputs receive each position later by the longest delay of all tracks. Tracks of
/// participants begin and end while the mixer runs.
package final class AudioMixer: Sendable {
    /// A source and its own outputs. Loudspeakers receive a sum of tracks.
    package struct Track: Sendable {
        package var source: any AudioSource
        package var sinks: [any AudioSink]
        /// The participant of the track; nil for the session's own tracks.
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
    package struct Mix: Hashable, Sendable {
        package enum Tracks: Sendable {
            /// The session's own tracks.
            case own
            /// The tracks of all participants.
            case incoming
            /// The session's own tracks, and the tracks of all participants.
            case all
            /// The session's own tracks on the left and the participants' tracks on the right.
            case split
        }

        package var tracks: Tracks
        /// The participants whose tracks are not in the mix.
        package var leftOut: Set<UInt32> = []

        package static let own = Mix(tracks: .own)
        package static let incoming = Mix(tracks: .incoming)
        package static let all = Mix(tracks: .all)
        package static let split = Mix(tracks: .split)

        /// All tracks except one participant's.
        package static func without(_ participant: UInt32) -> Mix {
            Mix(tracks: .all, leftOut: [participant])
        }
    }

    private static let stretch = AudioFormat.session.sampleRate / 100
    /// The length of a stretch, in nanoseconds. Tracks begin and end between two stretches.
    package static let stretchNanoseconds: Int64 = 10_000_000

    /// A track and the positions at which it begins and ends.
    private struct Entry {
        var track: Track
        var start: Int64 = 0
        var end: Int64 = .max
    }

    /// A sink of a mix, and the first position that the sink receives.
    private struct Output {
        var mix: Mix
        var sink: any AudioSink
        var start: Int64 = 0
        /// The mix without the participants whom the sink leaves out.
        var taken: Mix
        /// Later values of ``taken``, each with its first position.
        var changes: [(start: Int64, taken: Mix)] = []

        init(mix: Mix, sink: any AudioSink, start: Int64 = 0) {
            (self.mix, self.sink, self.start, taken) = (mix, sink, start, mix)
        }

        /// Whether a participant's audio is in the mix now, or in one of the later mixes.
        func has(_ participant: UInt32) -> Bool {
            taken.has(participant) || changes.contains { $0.taken.has(participant) }
        }

        /// Leaves participants out, instead of those before.
        ///
        /// - Parameters:
        ///   - new: The participants among them without audio so far.
        ///   - place: The first position without the others.
        mutating func leaveOut(_ participants: Set<UInt32>, new: Set<UInt32>, from place: Int64) {
            taken.leftOut.formUnion(new)
            for index in changes.indices { changes[index].taken.leftOut.formUnion(new) }
            var next = mix
            next.leftOut.formUnion(participants)
            if next != changes.last?.taken ?? taken { changes.append((place, next)) }
        }

        /// Makes the changes up to a position.
        ///
        /// - Returns: Whether there were any.
        mutating func change(upTo place: Int64) -> Bool {
            guard let due = changes.last(where: { $0.start <= place }) else { return false }
            taken = due.taken
            changes.removeAll { $0.start <= place }
            return true
        }
    }

    private struct State {
        /// The position of the end, in frames; nil until it is known.
        var end: Int64?
        /// The session's start on its clock; nil before the thread runs.
        var epoch: Int64?
        /// The next position to pull.
        var place: Int64 = 0
        var entries: [Entry]
        var mixSinks: [Output]
        /// The levels and delays of the sources and sinks that commands have changed.
        var adjustments: [ObjectIdentifier: AudioAdjustment] = [:]
        /// The number of samples of the mixes above 16 bits.
        var clamped = 0

        /// Whether no audio has to be moved: no track exists, and no sink receives a mix. Delays of adjusted sinks
        /// hold audio.
        var isAtRest: Bool {
            entries.isEmpty && adjustments.isEmpty && mixSinks.allSatisfy { $0.sink.isIdle }
        }

        /// Passes the silence before a position, which no sink receives.
        mutating func skip(to next: Int64, delay: Int64) {
            guard next > place else { return }
            for output in mixSinks {
                output.sink.skip(Int(max(next - delay - max(place - delay, output.start), 0)))
            }
            place = next
        }

        /// Forgets the adjustments of a track that ends.
        mutating func forget(_ entry: Entry) {
            adjustments[ObjectIdentifier(entry.track.source)] = nil
            for sink in entry.track.sinks { adjustments[ObjectIdentifier(sink)] = nil }
        }
    }

    private let state: Monitor<State>
    private let clock: SessionClock
    /// The delay of audio between the pull and the outputs, in frames: whole stretches.
    private let delay: Int64
    private let changed: @Sendable () -> Void

    /// - Parameters:
    ///   - delayFrames: The delay of audio in every source, in frames, as returned by
    ///     ``wholeStretches(_:)``.
    ///   - changed: Called after a track has ended, or a mix leaves out others. [the audio thread]
    package init(
        tracks: [Track], mixSinks: [(mix: Mix, sink: any AudioSink)], delayFrames: Int = 0,
        clock: SessionClock, changed: @escaping @Sendable () -> Void = {}
    ) {
        self.changed = changed
        delay = Int64(delayFrames)
        state = Monitor(
            State(
                entries: tracks.map { Entry(track: $0) },
                mixSinks: mixSinks.map { Output(mix: $0.mix, sink: $0.sink) }))
        self.clock = clock
    }

    /// Returns a delay rounded up to stretches of 10 ms.
    package static func wholeStretches(_ frames: Int) -> Int {
        (frames + stretch - 1) / stretch * stretch
    }

    /// The number of clamped samples of the mixes, which exceeded 16 bits. [any]
    package var clampedSamples: Int { state.withLock { $0.clamped } }

    /// Sets the end of the thread, in nanoseconds from the session's start.
    package func finish(at nanoseconds: Int64) {
        let end = Int128(nanoseconds) * Int128(AudioFormat.session.sampleRate)
        let place = Int64(clamping: (end + 500_000_000) / 1_000_000_000)
        // Waking the thread again at the time of a block would make it pull that block before the
        // sources stop.
        guard state.withLock({ $0.end }) != place else { return }
        state.change { $0.end = place }
    }

    // MARK: Participants

    /// Adds a participant's track, from the start of the 10 ms that contain a time. [any]
    ///
    /// - Parameters:
    ///   - nanoseconds: The time, from the session's start.
    ///   - make: Makes the track for its start, in nanoseconds from the session's start, before the
    ///     track's first samples are pulled.
    package func add(at nanoseconds: Int64, _ make: (Int64) -> Track) {
        changing {
            state.withLock { state in
                let start = max(Self.block(at: nanoseconds), state.place)
                let track = make(Self.nanoseconds(at: start))
                state.entries.append(Entry(track: track, start: start))
            }
        }
    }

    /// Ends a track at a time, or up to 10 ms later. Audio sent for earlier times is still written.
    /// [any]
    package func end(_ source: any AudioSource, at nanoseconds: Int64) {
        state.withLock { state in
            for index in state.entries.indices where state.entries[index].track.source === source {
                state.entries[index].end = Self.block(
                    at: nanoseconds + Self.stretchNanoseconds - 1)
            }
        }
    }

    /// Whether the mixer still pulls a track. [any]
    package func has(_ source: any AudioSource) -> Bool {
        state.withLock { $0.entries.contains { $0.track.source === source } }
    }

    /// Connects a sink to a mix, from the start of the 10 ms that contain a time. [any]
    ///
    /// - Parameters:
    ///   - nanoseconds: The time, from the session's start.
    ///   - make: Makes the sink for its start, in nanoseconds from the session's start.
    package func add(to mix: Mix, at nanoseconds: Int64, _ make: (Int64) -> any AudioSink) {
        changing {
            state.withLock { state in
                let start = max(Self.block(at: nanoseconds), state.place - delay)
                let sink = make(Self.nanoseconds(at: start))
                state.mixSinks.append(Output(mix: mix, sink: sink, start: start))
            }
        }
    }

    /// Changes the level and the delay of a source, within the next 10 ms. [any]
    package func adjust(_ source: any AudioSource, _ change: (inout AudioAdjustment) -> Void) {
        changing {
            state.withLock { state in
                change(&state.adjustments[ObjectIdentifier(source), default: AudioAdjustment()])
            }
        }
    }

    /// Changes the level and the delay of what a sink receives, within the next 10 ms. [any]
    package func adjust(_ sink: any AudioSink, _ change: (inout AudioAdjustment) -> Void) {
        changing {
            state.withLock { state in
                change(&state.adjustments[ObjectIdentifier(sink), default: AudioAdjustment()])
            }
        }
    }

    /// Leaves participants out of the mixes of some sinks, instead of those before. [any]
    ///
    /// - Parameter nanoseconds: The time of the change, from the session's start. The mix still has the audio of
    ///   earlier times. A participant who has no track yet is left out of all times.
    package func leaveOut(
        _ participants: Set<UInt32>, of sinks: [any AudioSink], at nanoseconds: Int64
    ) {
        let start = Self.block(at: nanoseconds + Self.stretchNanoseconds - 1)
        state.withLock { state in
            let new = participants.subtracting(state.entries.compactMap(\.track.participant))
            for index in state.mixSinks.indices {
                var output = state.mixSinks[index]
                guard sinks.contains(where: { $0 === output.sink }) else { continue }
                output.leaveOut(
                    participants, new: new,
                    from: output.start < state.place - delay ? start : output.start)
                state.mixSinks[index] = output
            }
        }
    }

    /// Disconnects the sinks of a mix. [any]
    package func remove(_ mix: Mix) {
        state.withLock { state in
            for output in state.mixSinks where output.mix == mix {
                state.adjustments[ObjectIdentifier(output.sink)] = nil
            }
            state.mixSinks.removeAll { $0.mix == mix }
        }
    }

    /// Whether a participant's audio is in a mix that a sink receives. [any]
    package func mixes(participant: UInt32) -> Bool {
        state.withLock { state in
            state.mixSinks.contains { !$0.sink.isIdle && $0.has(participant) }
        }
    }

    // MARK: Rest

    /// Runs a body that lets sinks receive audio, and ends the rest of the thread. The thread begins with the audio
    /// of that time, as if it had not rested. [any]
    package func changing(_ body: () -> Void) {
        let wasAtRest = state.withLock { skipRest(&$0) }
        body()
        // A thread that does not rest sees the change with the next 10 ms.
        if wasAtRest, state.withLock({ !$0.isAtRest }) { state.change { _ in } }
    }

    /// Passes the time up to now if the mixer is at rest.
    ///
    /// - Returns: Whether it is.
    private func skipRest(_ state: inout State) -> Bool {
        guard let epoch = state.epoch, state.isAtRest else { return false }
        state.skip(to: Self.duePlace(at: clock.now - epoch), delay: delay)
        return true
    }

    /// The time of the thread's next work; nil if the mixer is idle and has no end.
    private func due(_ state: State, epoch: Int64, after last: Int64?) -> Int64? {
        let stretch = Int64(Self.stretch)
        guard state.isAtRest else {
            return Self.due(state.place + stretch, epoch: epoch, after: last)
        }
        // The last whole 10 ms: the rest ends the thread.
        return state.end.map {
            Self.due(($0 + delay) / stretch * stretch, epoch: epoch, after: last)
        }
    }

    /// Returns the first position of the 10 ms that contain a time.
    private static func block(at nanoseconds: Int64) -> Int64 {
        max(nanoseconds, 0) / stretchNanoseconds * Int64(stretch)
    }

    // MARK: Thread

    /// Runs the mixer's thread. Returns after ``finish(at:)``, once the audio up to that time is
    /// written.
    ///
    /// - Parameter epoch: The session's start on its clock.
    package func run(epoch: Int64) {
        var stretch = [Int16](repeating: 0, count: Self.stretch * 2)
        var sums = AudioSums(sampleCount: Self.stretch * 2)
        var adjusters = AudioAdjusters(sampleCount: Self.stretch * 2)
        state.withLock { $0.epoch = epoch }
        var last: Int64?
        while true {
            let end: Int64? = clock.wait(
                for: state, until: { due($0, epoch: epoch, after: last) }
            ) { state in
                let next = state.place + Int64(Self.stretch)
                if let end = state.end, end + delay < next { return end + delay }
                return nil
            }
            // The position to pull; the outputs get the position `delay` before it.
            let (place, isSkipped) = state.withLock { state in
                (state.place, end == nil && skipRest(&state))
            }
            if isSkipped { continue }
            // The last block has the remaining frames, and may be empty.
            let rest = end.map { max(min($0 - place, Int64(Self.stretch)), 0) }
            let frames = Int(rest ?? Int64(Self.stretch))
            if frames > 0 { deliver(frames, at: place, &stretch, &sums, &adjusters) }
            if end != nil { return }
            last = clock.now
        }
    }

    /// Returns the time at which the audio before a position is due.
    ///
    /// After the host has stood still, audio is due at ten times the normal speed, because the
    /// threads of the outputs have stood still as well, and their queues hold about a second.
    ///
    /// - Parameters:
    ///   - epoch: The session's start on its clock.
    ///   - last: The delivery time of the previous audio; nil if there is none.
    static func due(_ place: Int64, epoch: Int64, after last: Int64?) -> Int64 {
        let due = epoch + SessionTimeline.playoutDelay + nanoseconds(at: place)
        return max(due, last.map { $0 + stretchNanoseconds / 10 } ?? due)
    }

    /// Returns the time of a position, from the session's start.
    ///
    /// Whole seconds and the rest are converted separately, because a single product would exceed
    /// 64 bits after two days.
    package static func nanoseconds(
        at place: Int64, rate: Int = AudioFormat.session.sampleRate
    ) -> Int64 {
        let (seconds, frames) = place.quotientAndRemainder(dividingBy: Int64(rate))
        return seconds * 1_000_000_000 + frames * 1_000_000_000 / Int64(rate)
    }

    /// Returns the position up to which blocks are due at a time.
    ///
    /// - Parameter nanoseconds: The time, from the session's start.
    package static func duePlace(at nanoseconds: Int64) -> Int64 {
        let (elapsed, overflow) = nanoseconds.subtractingReportingOverflow(
            SessionTimeline.playoutDelay)
        return overflow ? 0 : block(at: elapsed)
    }

    private func deliver(
        _ frames: Int, at place: Int64, _ stretch: inout [Int16], _ sums: inout AudioSums,
        _ adjusters: inout AudioAdjusters
    ) {
        let written = place - delay
        let (entries, mixSinks, adjustments, isChanged) = state.withLock { state in
            state.place = place + Int64(Self.stretch)
            let before = state.entries.count
            var isChanged = false
            for index in state.mixSinks.indices where !state.mixSinks[index].changes.isEmpty {
                isChanged = state.mixSinks[index].change(upTo: written) || isChanged
            }
            for entry in state.entries where entry.end <= written { state.forget(entry) }
            state.entries.removeAll { $0.end <= written }
            return (
                state.entries, state.mixSinks, state.adjustments,
                isChanged || state.entries.count < before
            )
        }
        if isChanged { changed() }
        adjusters.keep(adjustments)
        let taking = mixSinks.lazy.filter { !$0.sink.isIdle }
        sums.begin(frames * 2, for: taking.map(\.taken))
        for entry in entries where entry.start <= place {
            var samples = stretch.mutableSpan
            entry.track.source.pull(frames, into: &samples)
            if !adjustments.isEmpty {
                adjusters.pass(frames, of: &samples, from: entry.track.source, as: adjustments)
            }
            guard entry.start <= written else { continue }
            let block = stretch.span.extracting(..<(frames * 2))
            for sink in entry.track.sinks { adjusters.write(block, to: sink, as: adjustments) }
            sums.add(block, of: entry.track.participant)
        }
        for output in mixSinks where output.start <= written {
            sums.withSamples(of: output.taken) {
                adjusters.write($0, to: output.sink, as: adjustments)
            }
        }
        for entry in entries { for sink in entry.track.sinks { sink.wake() } }
        for output in mixSinks { output.sink.wake() }
        let clamped = sums.clamped
        if clamped > 0 { state.withLock { $0.clamped += clamped } }
    }
}
