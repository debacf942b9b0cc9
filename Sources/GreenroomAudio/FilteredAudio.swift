import GreenroomMedia
package import GreenroomRuntime
import Synchronization

/// A source whose audio passes through filters, and leaves with the same delay as all other tracks.
package final class FilteredAudio: AudioSource {
    private struct State {
        var chain: AudioFilterChain
        /// The rest of the session's delay that the chain does not add.
        var padding: SampleDelay
        var block = [Int16](repeating: 0, count: AudioEditing.blockFrames * 2)
        /// The position of the next block, in frames from the track's start.
        var place: Int64 = 0
    }

    /// The source of the unfiltered audio.
    package let source: any AudioSource
    private let reference: AudioReference?
    private let timeline: SessionTimeline
    private let start: Int64
    private let hasFilters: Bool
    /// The state, used only by the mixer's thread.
    private let state: Mutex<State>
    private let published = Mutex(AudioFilterChain.Counts())

    /// - Parameters:
    ///   - delayFrames: The delay of the session's audio, in frames of 48 kHz: at least the delay
    ///     of the chain.
    ///   - reference: The session's incoming audio; nil if there is none.
    ///   - start: The start of the track, in nanoseconds from the session's start.
    package init(
        _ source: any AudioSource, through chain: AudioFilterChain, delayFrames: Int,
        reference: AudioReference?, timeline: SessionTimeline, start: Int64 = 0
    ) {
        self.source = source
        self.reference = reference
        self.timeline = timeline
        self.start = start
        hasFilters = !chain.isEmpty
        state = Mutex(
            State(
                chain: chain,
                padding: SampleDelay(frames: max(delayFrames - chain.delayFrames, 0))))
    }

    /// The counters so far; nil without filters. [any]
    package var counts: AudioFilterChain.Counts? {
        hasFilters ? published.withLock { $0 } : nil
    }

    @discardableResult
    package func pull(_ frames: Int, into output: inout MutableSpan<Int16>) -> Int {
        let (played, counts) = state.withLock { state in
            var block = state.block.mutableSpan
            let played = source.pull(frames, into: &block)
            // Clear the rest of the session's last block.
            for index in (frames * 2)..<block.count { block[index] = 0 }
            let nanoseconds = start + AudioMixer.nanoseconds(at: state.place)
            let pts = timeline.moment(of: nanoseconds) ?? nanoseconds
            state.place += Int64(frames)
            if let reference {
                reference.withLatest { latest in
                    state.chain.edit(
                        &state.block, played: played, reference: latest, at: nanoseconds,
                        ptsNanoseconds: pts)
                }
            } else {
                state.chain.edit(
                    &state.block, played: played, reference: nil, at: nanoseconds,
                    ptsNanoseconds: pts)
            }
            state.padding.pass(&state.block)
            for index in 0..<(frames * 2) { output[index] = state.block[index] }
            return (played, state.chain.counts)
        }
        published.withLock { $0 = counts }
        return played
    }

    /// Ends the threads of the filters. [any]
    package func close() { state.withLock { $0.chain.close() } }
}

/// The newest 10 ms of the session's incoming audio, for filters that remove its echo.
package final class AudioReference: AudioSink {
    private let latest = Mutex([Int16](repeating: 0, count: AudioEditing.blockFrames * 2))

    package init() {}

    package func write(_ samples: Span<Int16>) {
        latest.withLock { latest in
            for index in latest.indices {
                latest[index] = index < samples.count ? samples[index] : 0
            }
        }
    }

    package func finish(until deadline: Int64) {}

    /// Calls `body` with the newest audio. [the mixer's thread]
    func withLatest(_ body: ([Int16]) -> Void) { latest.withLock { body($0) } }
}
