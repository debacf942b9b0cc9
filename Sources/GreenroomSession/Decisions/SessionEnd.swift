/// The order of the end.
enum EndStep: CaseIterable {
    /// The last events say why the session stops.
    case tellEvents
    /// Recordings end with the session, though a stop-send may take long.
    case finishAudio
    /// All ingests close at once, then the sources stop.
    case stopSources
    /// The call may have closed tracks meanwhile.
    case followParticipants
    /// Tracks of video and their branches write what they have; the audio reaches its end.
    case finishTracks
    /// Output plugins get the rest of their audio before they are stopped.
    case finishPluginSinks
    /// Every plugin is stopped, uninitialized and destroyed.
    case endPlugins
    /// Files are closed.
    case finishOutputs
    /// The log names outputs that could show nothing.
    case tellOfEmptyOutputs
}

/// Why a session ends, and with what outcome.
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

        /// The first cause that counts; nil without one.
        var end: SessionEnd? {
            if hasLostEveryOutput { return SessionEnd("every output failed", .outputsFailed) }
            if isOver { return SessionEnd("the duration is over", .finished) }
            return stop.map { SessionEnd("stop requested", $0) }
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
