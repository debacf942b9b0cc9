import GreenroomDecisions
import GreenroomLifecycle
public import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomMedia
public import GreenroomModel

extension SessionReport {
    /// A plugin.
    public struct Plugin: Codable, Sendable {
        /// The plugin's role in the session.
        public var role: String
        /// The plugin's id.
        public var id: String
        /// The plugin's name in session files.
        public var name: String
        /// The plugin's version.
        public var version: String
        /// The plugin's kind.
        public var kind: String
        /// The plugin's last lifecycle state.
        public var state: LifecycleState
        /// The host's reason for abandoning the plugin; nil if none.
        public var fault: String?
        /// The plugin's reason for giving up; nil if none.
        public var gaveUp: String?
        /// The layers of the process's sandbox, `on`, `off` or `unavailable`, each with its effect
        /// or the reason for its absence; nil in the host's process.
        public var sandbox: [String: String]?
        /// The plugin's losses; nil if there were none.
        public var losses: [Loss]?
        /// The newest offer to the plugin; nil if none.
        public var offer: Offered?
        /// The durations of the plugin's callbacks, by name.
        public var callbacks: [String: Callback]
    }

    /// A loss of a plugin.
    public struct Loss: Codable, Sendable {
        /// The time, in seconds of the session.
        public var seconds: Double
        /// The reason.
        public var evidence: String
        /// The session's reaction.
        public var policy: FailurePolicy
        /// The time without the plugin, in seconds; nil if the plugin did not return.
        public var awaySeconds: Double?
    }

    /// An offer and its result.
    public struct Offered: Codable, Sendable {
        /// The offer's revision.
        public var revision: UInt32
        /// The offer's rows, or the single row with the limit of a share.
        public var rows: [String]
        /// The suggestion.
        public var suggested: String
        /// The source's answer.
        public var answer: NegotiationRecord.Answer?
        /// The capability that the source reported.
        public var source: String?
        /// The capability of the track.
        public var track: String?
    }

    /// The calls of a callback.
    public struct Callback: Codable, Sendable {
        /// Calls that returned.
        public var calls: Int
        /// The mean duration, in milliseconds.
        public var meanMilliseconds: Double
        /// The longest duration, in milliseconds.
        public var longestMilliseconds: Double
    }
}

extension SessionReport.Plugin {
    init(_ instance: PluginInstance, _ all: [PluginLoss]) {
        let losses = all.filter { $0.role == instance.role }.map {
            SessionReport.Loss(
                seconds: $0.seconds, evidence: $0.evidence, policy: $0.policy,
                awaySeconds: $0.awaySeconds)
        }
        role = instance.role
        sandbox = instance.sandbox.map { layers in
            Dictionary(uniqueKeysWithValues: layers.map { ($0.name, "\($0.state): \($0.text)") })
        }
        self.losses = losses.isEmpty ? nil : losses
        id = instance.descriptor.id
        name = instance.descriptor.name
        version = instance.descriptor.version
        kind = instance.descriptor.kind.name
        state = instance.lifecycle
        fault = instance.fault
        gaveUp = instance.gaveUp.map { "\($0.status): \($0.reason)" }
        offer = instance.newestOffer.map { offer in
            let agreement = instance.agreement
            return SessionReport.Offered(
                revision: offer.revision, rows: offer.rows.map(\.description),
                suggested: offer.suggested.description, answer: agreement?.answer.recorded,
                source: agreement?.source.description, track: agreement?.track.description)
        }
        callbacks = instance.callbackTimes.mapValues { times in
            SessionReport.Callback(
                calls: times.calls,
                meanMilliseconds: Double(times.totalNanoseconds) / Double(max(times.calls, 1))
                    / 1e6,
                longestMilliseconds: Double(times.longestNanoseconds) / 1e6)
        }
    }
}
