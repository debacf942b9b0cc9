import GreenroomAudio
import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomRuntime

/// The audio filters of a session's tracks, and the delay that keeps all tracks in step.
struct AudioFilters {
    private let chains: [SessionRole: AudioFilterChain]
    /// The delay of audio in every track, in frames of 48 kHz: the delay of the slowest chain, in
    /// whole stretches of the mixer.
    let delayFrames: Int
    /// The session's incoming audio; nil if no filter receives it, or without a call.
    private let reference: AudioReference?
    private let timeline: SessionTimeline
    private let clock: SessionClock
    private let hangNanoseconds: Int64

    /// - Parameter plugins: The session's plugins, already created, so that their delays are known.
    init(
        _ plugins: SessionPlugins, _ plan: SessionPlan, timeline: SessionTimeline,
        clock: SessionClock
    ) {
        hangNanoseconds = plan.configuration.hangDeadline.nanoseconds
        var chains: [SessionRole: AudioFilterChain] = [:]
        for role in plan.slots.map(\.role) where role.medium == .audio {
            let filters = plugins.slots.chain(of: role)
            guard !filters.isEmpty else { continue }
            chains[role] = Self.chain(filters, hangNanoseconds, clock)
        }
        self.chains = chains
        // The first set of participants' filters determines the delay of all sets.
        let incoming = plugins.slots.callFilters.spare.compactMap(\.declared)
        let longest =
            (chains.values.map(\.delayFrames)
            + [incoming.reduce(0) { $0 + $1.delayFrames }]).max()
        delayFrames = AudioMixer.wholeStretches(longest ?? 0)
        let takesReference =
            chains.values.contains(where: \.takesReference)
            || incoming.contains(where: \.takesReference)
        reference = takesReference && plugins.slots.call != nil ? AudioReference() : nil
        self.timeline = timeline
        self.clock = clock
    }

    /// The sinks that the filters need.
    var referenceSinks: [(mix: AudioMixer.Mix, sink: any AudioSink)] {
        guard let reference else { return [] }
        return [(mix: .incoming, sink: reference)]
    }

    /// Returns audio behind the filters of its role; nil if the audio needs no change.
    func pass(_ source: any AudioSource, of role: SessionRole) -> FilteredAudio? {
        pass(source, through: chains[role], start: 0)
    }

    /// Returns the audio of a participant behind its filters; nil if the audio needs no change.
    ///
    /// - Parameter start: The start of the track, in nanoseconds from the session's start.
    func pass(
        _ source: any AudioSource, through filters: [PluginInstance], from start: Int64
    ) -> FilteredAudio? {
        pass(source, through: filters.isEmpty ? nil : chain(filters), start: start)
    }

    private func pass(
        _ source: any AudioSource, through chain: AudioFilterChain?, start: Int64
    ) -> FilteredAudio? {
        guard chain != nil || delayFrames > 0 else { return nil }
        let chain = chain ?? self.chain([])
        return FilteredAudio(
            source, through: chain, delayFrames: delayFrames,
            reference: chain.takesReference ? reference : nil, timeline: timeline, start: start)
    }

    private func chain(_ filters: [PluginInstance]) -> AudioFilterChain {
        Self.chain(filters, hangNanoseconds, clock)
    }

    private static func chain(
        _ filters: [PluginInstance], _ hangNanoseconds: Int64, _ clock: SessionClock
    ) -> AudioFilterChain {
        AudioFilterChain(
            filters.map { AudioFilterRunner($0, clock: clock) }, hangNanoseconds: hangNanoseconds,
            clock: clock)
    }
}
