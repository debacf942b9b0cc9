import GreenroomModel
import GreenroomPluginInterface

/// The state of a plugin in the session. Times are on the session clock.
enum PluginState: Equatable {
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
    var isAway: Bool {
        switch self {
        case .awaitsStart, .awaitsConnection, .begins, .ends: true
        case .present, .left: false
        }
    }

    /// Whether the plugin has a current life, which has not just been lost.
    var hasLife: Bool {
        switch self {
        case .present, .begins: true
        case .awaitsStart, .awaitsConnection, .ends, .left: false
        }
    }

    var hasLeft: Bool { if case .left = self { true } else { false } }
}

/// The session's record of a plugin.
struct PluginEntry {
    /// The facts that all lives of the plugin share.
    struct Facts: Equatable {
        /// The role in messages, e.g. `camera`.
        var role: String
        /// The track of the plugin's video; nil for plugins without video.
        var track: VideoTrackKind?
        /// Whether the plugin is a source or a composer.
        var isSource = false
        var isCall = false
        /// Whether the plugin takes tracks: an output, a call or a composer.
        var takesTracks = false
        var onFailure = FailurePolicy.restart
        /// Whether the plugin connects by itself: the host does not start it.
        var connects = false
        /// Whether the session requires the plugin.
        var isNeeded = false

        /// Whether the plugin makes original media. A composer only shows media of other plugins.
        var makesMedia: Bool { isSource && !takesTracks || isCall }
    }

    let facts: Facts
    var state = PluginState.present
    /// Whether a command has stopped the plugin.
    var isStopped = false
    /// Whether the plugin is a composer whose video no output takes. An idle composer is stopped,
    /// too.
    var isIdle = false
    var backoff = Backoff()
    /// Settings that changed while the plugin was lost, and that the next life may lack.
    var changedSettings: [Setting] = []

    init(_ facts: Facts, state: PluginState = .present) {
        self.facts = facts
        self.state = state
    }
}
