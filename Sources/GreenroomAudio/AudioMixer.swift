import GreenroomMedia
package import GreenroomRuntime

/// The thread that moves sound: every 10 ms it takes the next stretch of the timeline out of
/// each source's queue and hands it to the outputs.
///
/// It runs ``SessionTimeline/playoutDelay`` behind the session's time.
package final class AudioMixer: Sendable {
    /// One source and the outputs of its own; the loudspeakers get the sum of all.
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
        /// The place at which to end, in frames; nil until it is known.
        var end: Int64?
        /// Samples of the mix that were too much for 16 bits.
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

    /// Samples of the mix that were as loud as 16 bits go, because their sum was louder. [any]
    package var clampedSamples: Int { state.withLock { $0.clamped } }

    /// Lets the thread end at a time of the session, in nanoseconds from its start.
    package func finish(at nanoseconds: Int64) {
        let end = Int128(nanoseconds) * Int128(AudioFormat.session.sampleRate)
        let place = Int64(clamping: (end + 500_000_000) / 1_000_000_000)
        // Whoever wakes the thread at the time of a stretch has it pulled before the sources stop.
        guard state.withLock({ $0.end }) != place else { return }
        state.change { $0.end = place }
    }

    /// The thread. Ends after ``finish(at:)``, when that time has been delivered.
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
            // The last stretch is the rest, and it may be empty.
            let frames = Int(max(min((end ?? next) - place, Int64(Self.stretch)), 0))
            if frames > 0 { deliver(frames, &stretch, &mix) }
            place += Int64(frames)
            if let last = state.withLock({ $0.end }), place >= last { return }
        }
    }

    /// The time of a place, from the session's start.
    ///
    /// Whole seconds and the rest apart: their sum in nanosecond-frames is too much for 64 bits
    /// after two days.
    package static func nanoseconds(at place: Int64) -> Int64 {
        let (seconds, frames) = place.quotientAndRemainder(
            dividingBy: Int64(AudioFormat.session.sampleRate))
        return seconds * 1_000_000_000
            + frames * 1_000_000_000 / Int64(AudioFormat.session.sampleRate)
    }

    private func deliver(_ frames: Int, _ stretch: inout [Int16], _ mix: inout [Int16]) {
        for index in mix.indices { mix[index] = 0 }
        var clamped = 0
        for track in tracks {
            var samples = stretch.mutableSpan
            track.source.pull(frames, into: &samples)
            let written = stretch.span.extracting(..<(frames * 2))
            for sink in track.sinks { sink.write(written) }
            guard !mixSinks.isEmpty else { continue }
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
