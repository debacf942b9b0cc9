import GreenroomMedia
package import GreenroomRuntime

/// The thread that moves audio: every 10 ms it pulls the next 10 ms of the timeline out of each
/// source's queue and writes them to the outputs.
///
/// It runs ``SessionTimeline/playoutDelay`` behind the session's time.
package final class AudioMixer: Sendable {
    /// One source and its own outputs; the loudspeakers get the sum of all.
    package struct Track: Sendable {
        package var source: any AudioSource
        package var sinks: [any AudioSink]

        package init(source: any AudioSource, sinks: [any AudioSink]) {
            self.source = source
            self.sinks = sinks
        }
    }

    private static let stretch = AudioFormat.session.sampleRate / 100

    private struct State {
        /// The position at which to end, in frames; nil until it is known.
        var end: Int64?
        /// Samples of the mix that were clamped to 16 bits.
        var clamped = 0
    }

    private let tracks: [Track]
    private let mixSinks: [any AudioSink]
    private let state = Monitor(State())
    private let clock: SessionClock

    package init(tracks: [Track], mixSinks: [any AudioSink], clock: SessionClock) {
        self.tracks = tracks
        self.mixSinks = mixSinks
        self.clock = clock
    }

    /// Samples of the mix that were clamped to 16 bits because the sum was louder. [any]
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

    /// The mixer's thread. Ends after ``finish(at:)``, when the audio up to that time is written.
    ///
    /// - Parameter epoch: The session's start on its clock.
    package func run(epoch: Int64) {
        var stretch = [Int16](repeating: 0, count: Self.stretch * 2)
        var mix = [Int16](repeating: 0, count: Self.stretch * 2)
        var place: Int64 = 0
        while true {
            let next = place + Int64(Self.stretch)
            let due = epoch + SessionTimeline.playoutDelay + Self.nanoseconds(at: next)
            let end: Int64? = clock.wait(for: state, until: due) { state in
                if let end = state.end, end < next { return end }
                return nil
            }
            // The last block is the rest; it may be empty.
            let frames = Int(max(min((end ?? next) - place, Int64(Self.stretch)), 0))
            if frames > 0 { deliver(frames, &stretch, &mix) }
            if end != nil { return }
            place = next
        }
    }

    /// The time of a position, from the session's start.
    ///
    /// Whole seconds and the rest are converted separately: one product would exceed 64 bits after
    /// two days.
    package static func nanoseconds(at place: Int64) -> Int64 {
        let (seconds, frames) = place.quotientAndRemainder(
            dividingBy: Int64(AudioFormat.session.sampleRate))
        return seconds * 1_000_000_000
            + frames * 1_000_000_000 / Int64(AudioFormat.session.sampleRate)
    }

    /// The position up to which blocks are due at a time.
    ///
    /// - Parameter nanoseconds: From the session's start.
    package static func duePlace(at nanoseconds: Int64) -> Int64 {
        let (elapsed, overflow) = nanoseconds.subtractingReportingOverflow(
            SessionTimeline.playoutDelay)
        guard !overflow, elapsed > 0 else { return 0 }
        let stretchNanoseconds: Int64 = 10_000_000
        return elapsed / stretchNanoseconds * Int64(stretch)
    }

    private func deliver(_ frames: Int, _ stretch: inout [Int16], _ mix: inout [Int16]) {
        for index in mix.indices { mix[index] = 0 }
        var clamped = 0
        let isMixWanted = mixSinks.contains { !$0.isIdle }
        for track in tracks {
            var samples = stretch.mutableSpan
            track.source.pull(frames, into: &samples)
            let written = stretch.span.extracting(..<(frames * 2))
            for sink in track.sinks { sink.write(written) }
            guard isMixWanted else { continue }
            for index in 0..<(frames * 2) {
                let sum = Int32(mix[index]) + Int32(written[index])
                mix[index] = Int16(clamping: sum)
                if Int32(mix[index]) != sum { clamped += 1 }
            }
        }
        if clamped > 0 { state.withLock { $0.clamped += clamped } }
        for sink in mixSinks { sink.write(mix.span.extracting(..<(frames * 2))) }
    }
}
