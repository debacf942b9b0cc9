package import GreenroomModel

/// The loss of a plugin.
package struct PluginLoss: Sendable {
    package var role: String
    /// The time of the loss, in seconds of the session.
    package var seconds: Double
    /// The reason.
    package var evidence: String
    /// The session's reaction.
    package var policy: FailurePolicy
    /// The length of its absence; nil if it did not return from this loss.
    package var awaySeconds: Double?
}

/// The losses of plugins, oldest first, for the report.
package struct PluginLosses: Sendable {
    private static let limit = 1000

    package private(set) var all: [PluginLoss] = []

    /// Records a loss, up to 1000.
    package mutating func add(_ loss: PluginLoss) {
        guard all.count < Self.limit else { return }
        all.append(loss)
    }

    /// Records the length of a plugin's absence after its last loss.
    package mutating func returned(_ role: String, after seconds: Double) {
        guard let last = all.lastIndex(where: { $0.role == role }) else { return }
        all[last].awaySeconds = seconds
    }
}
