import GreenroomLifecycle
public import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomMedia
public import GreenroomModel

extension SessionReport {
    /// A plugin.
    public struct Plugin: Codable, Sendable {
        /// Its role in the session.
        public var role: String
        /// Its id.
        public var id: String
        /// Its name in session files.
        public var name: String
        /// Its version.
        public var version: String
        /// Its kind.
        public var kind: String
        /// Its last lifecycle state.
        public var state: LifecycleState
        /// Why the host gave up on it.
        public var fault: String?
        /// Its own reason for giving up.
        public var gaveUp: String?
        /// The layers of its process's sandbox, `on`, `off` or `unavailable`, each with its effect
        /// or the reason why it is missing; nil in the host's process.
        public var sandbox: [String: String]?
        /// Its losses; nil if there were none.
        public var losses: [Loss]?
        /// Its offers.
        public var offer: Offered?
        /// The durations of its callbacks, by name.
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
        /// How long the plugin was away; nil if it did not return.
        public var awaySeconds: Double?
    }

    /// An offer and its result.
    public struct Offered: Codable, Sendable {
        /// The offer's revision.
        public var revision: UInt32
        /// Its rows, or the single row with the limit of a share.
        public var rows: [String]
        /// The suggestion.
        public var suggested: String
        /// The source's answer.
        public var answer: NegotiationRecord.Answer?
        /// What the source said it sends.
        public var source: String?
        /// What the track carries.
        public var track: String?
    }

    /// The calls of a callback.
    public struct Callback: Codable, Sendable {
        /// Calls that returned.
        public var calls: Int
        /// Their mean, in milliseconds.
        public var meanMilliseconds: Double
        /// The longest, in milliseconds.
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
