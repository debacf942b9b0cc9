import GreenroomModel
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

/// The lost plugins: when to restart each, and what it missed meanwhile.
///
/// It has no clock and starts nothing: times are arguments, in nanoseconds on the session clock.
struct Restarts {
    /// A plugin that was lost and will be restarted, or has not connected yet.
    private struct Pending {
        /// When it was lost.
        var since: Int64
        var wait: Wait
        /// Whether it has not been there yet: it connects by itself, and has not.
        var isFirst = false
    }

    /// What an absent plugin waits for.
    enum Wait: Equatable {
        /// Its start.
        case start(at: Int64)
        /// A connection by itself.
        case connection
        /// The first steps of its new life.
        case steps
    }

    private var pending: [Int: Pending] = [:]
    private var backoffs: [Int: Backoff] = [:]
    /// Settings changed during an absence: the new life may have been created with the old ones.
    private var changedSettings: [Int: [Setting]] = [:]

    /// What a plugin waits for; nil if it is not absent.
    func wait(of plugin: Int) -> Wait? { pending[plugin]?.wait }

    /// Whether a plugin is absent: it waits for its next life or makes its first steps.
    func isAway(_ plugin: Int) -> Bool { pending[plugin] != nil }

    /// The time of the next start.
    var nextStart: Int64? {
        pending.values.compactMap { entry -> Int64? in
            if case .start(let due) = entry.wait { due } else { nil }
        }.min()
    }

    /// Records the loss of a plugin that does not wait for its start.
    ///
    /// - Returns: The delay before the restart in nanoseconds; nil after too many losses.
    mutating func lost(_ plugin: Int, at now: Int64) -> Int64? {
        let (since, isFirst) = pending[plugin].map { ($0.since, $0.isFirst) } ?? (now, false)
        guard let delay = backoffs[plugin, default: Backoff()].lost(at: now) else {
            pending[plugin] = nil
            return nil
        }
        pending[plugin] = Pending(
            since: since, wait: .start(at: now + delay), isFirst: isFirst)
        return delay
    }

    /// A plugin is not started again.
    mutating func forget(_ plugin: Int) { pending[plugin] = nil }

    /// Waits for a plugin to connect by itself.
    ///
    /// - Parameter isFirst: Whether it has not been there yet.
    mutating func awaitConnection(of plugin: Int, isFirst: Bool = false, at now: Int64) {
        pending[plugin] = Pending(since: now, wait: .connection, isFirst: isFirst)
    }

    /// Has a plugin started that the session did not begin with.
    mutating func start(_ plugin: Int, at now: Int64) {
        pending[plugin] = Pending(since: now, wait: .start(at: now), isFirst: true)
    }

    /// Whether a plugin's new life must begin now.
    ///
    /// - Parameter isConnecting: Whether it has connected by itself.
    func isDue(_ plugin: Int, isConnecting: Bool, at now: Int64) -> Bool {
        switch pending[plugin]?.wait {
        case .start(let due): due <= now
        case .connection: isConnecting
        case .steps, nil: false
        }
    }

    /// Records the start of a plugin's new life, with the current settings.
    mutating func begin(_ plugin: Int) {
        pending[plugin]?.wait = .steps
        changedSettings[plugin] = nil
    }

    /// Stores a setting that was changed before those of a plugin's absence.
    ///
    /// - Returns: Whether none of them has replaced it.
    mutating func changeEarlier(_ setting: Setting, of plugin: Int) -> Bool {
        let later = changedSettings[plugin, default: []]
        guard !later.contains(where: { $0.name == setting.name }) else { return false }
        changedSettings[plugin] = [setting] + later
        return true
    }

    /// Stores a setting that changed during a plugin's absence.
    mutating func change(_ setting: Setting, of plugin: Int) {
        changedSettings[plugin, default: []].append(setting)
    }

    /// Records that a plugin is back.
    ///
    /// - Returns: The length of its absence in nanoseconds, nil if it was not there before; and the
    ///   settings that its new life lacks. Nil if it has no new life.
    mutating func finish(_ plugin: Int, at now: Int64) -> (away: Int64?, settings: [Setting])? {
        guard pending[plugin]?.wait == .steps, let entry = pending.removeValue(forKey: plugin)
        else { return nil }
        return (
            entry.isFirst ? nil : now - entry.since,
            changedSettings.removeValue(forKey: plugin) ?? []
        )
    }
}

/// Slates to show unless the video returns soon, at most one for each track.
struct DueSlates {
    struct Slate {
        var track: VideoTrackKind
        /// On the session clock.
        var due: Int64
        var text: SlateText
    }

    private var slates: [Slate] = []

    /// When the next slate is due, on the session clock.
    var next: Int64? { slates.map(\.due).min() }

    /// Schedules a slate.
    mutating func announce(_ text: SlateText, on track: VideoTrackKind, at now: Int64) {
        cancel(on: track)
        slates.append(Slate(track: track, due: now + SlateText.delay, text: text))
    }

    /// Has a slate shown now.
    mutating func show(_ text: SlateText, on track: VideoTrackKind, at now: Int64) {
        cancel(on: track)
        slates.append(Slate(track: track, due: now, text: text))
    }

    /// Takes back what was announced.
    mutating func cancel(on track: VideoTrackKind) {
        slates.removeAll { $0.track == track }
    }

    /// Removes and returns the due slates.
    mutating func take(at now: Int64) -> [Slate] {
        guard !slates.isEmpty else { return [] }
        defer { slates.removeAll { $0.due <= now } }
        return slates.filter { $0.due <= now }
    }
}

/// The loss of a plugin.
struct PluginLoss: Sendable {
    var role: String
    /// Session time.
    var seconds: Double
    /// The reason.
    var evidence: String
    /// The session's reaction.
    var policy: FailurePolicy
    /// The length of its absence; nil if it did not return from this loss.
    var awaySeconds: Double?
}

/// The losses of plugins, oldest first, for the report.
struct PluginLosses {
    private static let limit = 1000

    private(set) var all: [PluginLoss] = []

    /// Records a loss, up to 1000.
    mutating func add(_ loss: PluginLoss) {
        guard all.count < Self.limit else { return }
        all.append(loss)
    }

    /// Records the length of a plugin's absence after its last loss.
    mutating func returned(_ role: String, after seconds: Double) {
        guard let last = all.lastIndex(where: { $0.role == role }) else { return }
        all[last].awaySeconds = seconds
    }
}
