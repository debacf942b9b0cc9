package import GreenroomModel
package import GreenroomPluginInterface

/// The state of a plugin in the session. Times are on the session clock.
package enum PluginState: Equatable {
    /// The plugin has a life.
    case present
    /// The plugin's next life begins at a time.
    ///
    /// - since: The time of the last loss; nil for a plugin that has not been present yet.
    case awaitsStart(at: Int64, since: Int64?)
    /// The host waits for the plugin to connect.
    case awaitsConnection(since: Int64?)
    /// The plugin's new life makes its first steps.
    case begins(since: Int64?)
    /// The plugin makes its last steps, because it has finished or cannot continue.
    case ends(isInOrder: Bool, PluginFailure)
    /// The session continues without the plugin, which has finished or was lost.
    case left(wasLost: Bool)

    /// Whether the plugin is absent: it waits for its next life, or makes its first or last steps.
    package var isAway: Bool {
        switch self {
        case .awaitsStart, .awaitsConnection, .begins, .ends: true
        case .present, .left: false
        }
    }

    /// Whether the plugin has a current life, which has not just been lost.
    package var hasLife: Bool {
        switch self {
        case .present, .begins: true
        case .awaitsStart, .awaitsConnection, .ends, .left: false
        }
    }

    package var hasLeft: Bool { if case .left = self { true } else { false } }
}

/// The session's record of a plugin.
package struct PluginEntry {
    /// The facts that all lives of the plugin share.
    package struct Facts: Equatable, Codable, Sendable {
        /// The role in messages, e.g. `camera`.
        package var role: String
        /// The track of the plugin's video; nil for plugins without video.
        package var track: VideoTrackKind?
        /// Whether the plugin is a source or a composer.
        package var isSource: Bool
        package var isCall: Bool
        /// Whether the plugin receives tracks: an output, a call or a composer.
        package var takesTracks: Bool
        package var onFailure: FailurePolicy
        /// Whether the plugin connects by itself: the host does not start it.
        package var connects: Bool
        /// Whether the session requires the plugin.
        package var isNeeded: Bool

        package init(
            role: String, track: VideoTrackKind? = nil, isSource: Bool = false,
            isCall: Bool = false, takesTracks: Bool = false,
            onFailure: FailurePolicy = .restart, connects: Bool = false, isNeeded: Bool = false
        ) {
            self.role = role
            self.track = track
            self.isSource = isSource
            self.isCall = isCall
            self.takesTracks = takesTracks
            self.onFailure = onFailure
            self.connects = connects
            self.isNeeded = isNeeded
        }

        /// Whether the plugin makes original media. A composer only shows media of other plugins.
        package var makesMedia: Bool { isSource && !takesTracks || isCall }
    }

    package let facts: Facts
    package var state = PluginState.present
    /// Whether a command has stopped the plugin.
    package var isStopped = false
    /// Whether the plugin is a composer whose video no output receives. An idle composer is stopped,
    /// too.
    package var isIdle = false
    package var backoff = Backoff()
    /// Settings that changed while the plugin was lost, and that the next life may lack.
    package var changedSettings: [PluginSetting] = []

    package init(_ facts: Facts, state: PluginState = .present) {
        self.facts = facts
        self.state = state
    }
}
