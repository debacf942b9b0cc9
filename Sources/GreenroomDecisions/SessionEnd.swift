/// The steps of a session's end, in order. Each begins when every step of a plugin has ended; only
/// the first three do not wait.
package enum EndStep: Int, CaseIterable, Codable, Sendable {
    /// Pass the last events to the plugins: the events name the reason for the end.
    case tellEvents
    /// End the recordings' audio at the session's end, even if a stop-send takes long.
    case finishAudio
    /// Close all ingests at once.
    case closeIngests
    case stopSources
    /// Apply the call's last changes: the call may have closed tracks.
    case followParticipants
    /// Finish video tracks and their branches, and let the audio reach its end.
    case finishTracks
    /// Pass the rest of the audio to output plugins, before they are stopped.
    case finishPluginSinks
    case stopPlugins
    case uninitializePlugins
    case destroyPlugins
    /// Close files.
    case finishOutputs
    /// Log the outputs that could show no frame.
    case tellOfEmptyOutputs

    /// The steps that begin with the decision to end.
    static let first: [EndStep] = [.tellEvents, .finishAudio, .closeIngests]

    /// The next step; nil after the last.
    var next: EndStep? { EndStep(rawValue: rawValue + 1) }
}

/// The reason for a session's end, and the outcome.
package struct SessionEnd: Equatable, Codable, Sendable {
    package var text: String
    package var outcome: SessionOutcome

    /// Causes of an end that are outside the plugins.
    package struct Causes: Equatable, Codable, Sendable {
        package var hasLostEveryOutput: Bool
        /// Whether the duration is over.
        package var isOver: Bool
        /// The requested end.
        package var stop: SessionOutcome?
        /// The end of a drain.
        package var drained: SessionEnd?

        package init(
            hasLostEveryOutput: Bool = false, isOver: Bool = false, stop: SessionOutcome? = nil,
            drained: SessionEnd? = nil
        ) {
            self.hasLostEveryOutput = hasLostEveryOutput
            self.isOver = isOver
            self.stop = stop
            self.drained = drained
        }

        /// The first cause that applies; nil if none.
        package var end: SessionEnd? {
            if hasLostEveryOutput { return SessionEnd("every output failed", .outputsFailed) }
            if isOver { return SessionEnd("the duration is over", .finished) }
            return stop.map { SessionEnd("stop requested", $0) } ?? drained
        }
    }

    package init(_ text: String, _ outcome: SessionOutcome) {
        self.text = text
        self.outcome = outcome
    }
}

extension SessionOutcome {
    /// The outcome once every output has ended.
    package func after(losingEveryOutput: Bool) -> SessionOutcome {
        self == .finished && losingEveryOutput ? .outputsFailed : self
    }

    /// A session with an incomplete recording has not ended as planned.
    package func after(failedRecording: Bool) -> SessionOutcome {
        (self == .finished || self == .interrupted) && failedRecording ? .outputsFailed : self
    }
}

/// The outcome of a session.
package enum SessionOutcome: Equatable, Sendable, Codable {
    /// The session ended as planned: after its duration, or when every source finished.
    case finished
    /// The session ended on request.
    case interrupted
    /// Every output failed, or a recording is incomplete.
    case outputsFailed
    /// A plugin with a fatal failure; nil if all plugins failed.
    case pluginFailed(role: String?)
    /// A plugin refused its settings while the session started.
    case badSetting(role: String)
    /// A plugin breaks a rule of the interface.
    case badPlugin(role: String)

    /// The plugin whose failure ended the session; nil if none, or if all failed.
    package var failedPlugin: String? {
        switch self {
        case .finished, .interrupted, .outputsFailed: nil
        case .pluginFailed(let role): role
        case .badSetting(let role), .badPlugin(let role): role
        }
    }
}
