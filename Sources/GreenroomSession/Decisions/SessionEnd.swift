/// The steps of a session's end, in order.
enum EndStep: CaseIterable {
    /// Pass the last events to the plugins: the events name the reason for the end.
    case tellEvents
    /// End the recordings' audio at the session's end, even if a stop-send takes long.
    case finishAudio
    /// Close all ingests at once, then stop the sources.
    case stopSources
    /// Apply the call's last changes: the call may have closed tracks.
    case followParticipants
    /// Finish video tracks and their branches, and let the audio reach its end.
    case finishTracks
    /// Pass the rest of the audio to output plugins, before they are stopped.
    case finishPluginSinks
    /// Stop, uninitialize and destroy every plugin.
    case endPlugins
    /// Close files.
    case finishOutputs
    /// Log the outputs that could show no frame.
    case tellOfEmptyOutputs
}

/// The reason for a session's end, and the outcome.
struct SessionEnd: Equatable {
    var text: String
    var outcome: SessionOutcome

    /// Causes of an end that lie outside the plugins.
    struct Causes: Equatable {
        var hasLostEveryOutput = false
        /// Whether the duration is over.
        var isOver = false
        /// The requested end.
        var stop: SessionOutcome?
        /// The end of a drain.
        var drained: SessionEnd?

        /// The first cause that applies; nil if none.
        var end: SessionEnd? {
            if hasLostEveryOutput { return SessionEnd("every output failed", .outputsFailed) }
            if isOver { return SessionEnd("the duration is over", .finished) }
            return stop.map { SessionEnd("stop requested", $0) } ?? drained
        }
    }

    init(_ text: String, _ outcome: SessionOutcome) {
        self.text = text
        self.outcome = outcome
    }
}

extension SessionOutcome {
    /// The outcome once every output has ended.
    func after(losingEveryOutput: Bool) -> SessionOutcome {
        self == .finished && losingEveryOutput ? .outputsFailed : self
    }

    /// A session with an incomplete recording has not ended as planned.
    func after(failedRecording: Bool) -> SessionOutcome {
        (self == .finished || self == .interrupted) && failedRecording ? .outputsFailed : self
    }
}
