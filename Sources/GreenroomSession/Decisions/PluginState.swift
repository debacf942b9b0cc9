import GreenroomModel
import GreenroomPluginInterface

/// Where a plugin is in the session. Times are on the session clock.
enum PluginState: Equatable {
    /// It has a life.
    case present
    /// Its next life begins at a time.
    ///
    /// - since: When the last life was lost; nil for a plugin that has not been there yet.
    case awaitsStart(at: Int64, since: Int64?)
    /// It connects by itself.
    case awaitsConnection(since: Int64?)
    /// Its new life makes the first steps.
    case begins(since: Int64?)
    /// The session continues without it: it has finished, or was lost.
    case left(wasLost: Bool)

    /// Whether the plugin is absent: it waits for its next life, or makes the first steps.
    var isAway: Bool {
        switch self {
        case .awaitsStart, .awaitsConnection, .begins: true
        case .present, .left: false
        }
    }

    /// Whether a life of it lasts, unless that was just lost.
    var hasLife: Bool {
        switch self {
        case .present, .begins: true
        case .awaitsStart, .awaitsConnection, .left: false
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
        /// The track of its video; nil for other plugins.
        var track: VideoTrackKind?
        /// Whether it is a source or a composer.
        var isSource = false
        var isCall = false
        /// Whether it takes tracks: an output, a call or a composer.
        var takesTracks = false
        var onFailure = FailurePolicy.restart
        /// Whether it connects by itself: the host does not start it.
        var connects = false
        /// Whether the session can't be without it.
        var isNeeded = false

        /// Whether it makes media of its own. A composer shows the media of others.
        var makesMedia: Bool { isSource && !takesTracks || isCall }
    }

    let facts: Facts
    var state = PluginState.present
    /// Whether a command has stopped it.
    var isStopped = false
    /// Whether it is a composer that no output takes anything of: it is stopped, too.
    var isIdle = false
    var backoff = Backoff()
    /// Settings that its next life may lack: they changed while it was lost.
    var changedSettings: [Setting] = []

    init(_ facts: Facts, state: PluginState = .present) {
        self.facts = facts
        self.state = state
    }
}
