import GreenroomModel
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

/// The plugins that are away: when each is started again, and what it missed meanwhile.
///
/// It has no clock and starts nothing: times are passed in, in nanoseconds on the session clock.
struct Restarts {
    /// A plugin that was lost and is to be started again, or has not connected yet.
    private struct Pending {
        /// When it was lost.
        var since: Int64
        var wait: Wait
    }

    /// What a plugin that is away waits for.
    enum Wait: Equatable {
        /// To be started.
        case start(at: Int64)
        /// To connect by itself.
        case connection
        /// For the steps of its new life.
        case steps
    }

    private var pending: [Int: Pending] = [:]
    private var backoffs: [Int: Backoff] = [:]
    /// Settings that were changed while a plugin was away: a life that had begun by then was made
    /// with the old ones.
    private var changedSettings: [Int: [Setting]] = [:]

    /// What a plugin waits for; nil if it is not away.
    func wait(of plugin: Int) -> Wait? { pending[plugin]?.wait }

    /// Whether a plugin is away: it waits for its next life or takes the first steps of it.
    func isAway(_ plugin: Int) -> Bool { pending[plugin] != nil }

    /// When a plugin is to be started next.
    var nextStart: Int64? {
        pending.values.compactMap { entry -> Int64? in
            if case .start(let due) = entry.wait { due } else { nil }
        }.min()
    }

    /// Takes a loss of a plugin that does not wait for its start already.
    ///
    /// - Returns: After how many nanoseconds it is started again; nil if it was lost too often.
    mutating func lost(_ plugin: Int, at now: Int64) -> Int64? {
        let since = pending[plugin]?.since ?? now
        guard let delay = backoffs[plugin, default: Backoff()].lost(at: now) else {
            pending[plugin] = nil
            return nil
        }
        pending[plugin] = Pending(since: since, wait: .start(at: now + delay))
        return delay
    }

    /// Waits for a plugin to connect by itself.
    mutating func awaitConnection(of plugin: Int, at now: Int64) {
        pending[plugin] = Pending(since: now, wait: .connection)
    }

    /// Whether a plugin's new life begins now.
    ///
    /// - Parameter isConnecting: Whether it is connecting by itself.
    func isDue(_ plugin: Int, isConnecting: Bool, at now: Int64) -> Bool {
        switch pending[plugin]?.wait {
        case .start(let due): due <= now
        case .connection: isConnecting
        case .steps, nil: false
        }
    }

    /// Notes that a plugin's new life begins: with all settings as they are now.
    mutating func begin(_ plugin: Int) {
        pending[plugin]?.wait = .steps
        changedSettings[plugin] = nil
    }

    /// Remembers a setting that was changed while a plugin is away.
    mutating func change(_ setting: Setting, of plugin: Int) {
        changedSettings[plugin, default: []].append(setting)
    }

    /// Notes that a plugin is back.
    ///
    /// - Returns: How long it was away, in nanoseconds, and the settings that its new life does not
    ///   know of; nil if it was not away.
    mutating func finish(_ plugin: Int, at now: Int64) -> (away: Int64, settings: [Setting])? {
        guard let entry = pending.removeValue(forKey: plugin) else { return nil }
        return (now - entry.since, changedSettings.removeValue(forKey: plugin) ?? [])
    }
}

/// Slates that are shown unless the picture comes back soon, at most one a track.
struct DueSlates {
    struct Slate {
        var track: VideoTrackKind
        /// On the session clock.
        var due: Int64
        var text: SlateText
    }

    private var slates: [Slate] = []

    /// When a slate is due next, on the session clock.
    var next: Int64? { slates.map(\.due).min() }

    /// Has a slate shown soon.
    mutating func announce(_ text: SlateText, on track: VideoTrackKind, at now: Int64) {
        cancel(on: track)
        slates.append(Slate(track: track, due: now + SlateText.delay, text: text))
    }

    /// Takes back what was announced.
    mutating func cancel(on track: VideoTrackKind) {
        slates.removeAll { $0.track == track }
    }

    /// Takes the slates that are due.
    mutating func take(at now: Int64) -> [Slate] {
        defer { slates.removeAll { $0.due <= now } }
        return slates.filter { $0.due <= now }
    }
}

/// A plugin that was lost.
struct PluginLoss: Sendable {
    var role: String
    /// Session time.
    var seconds: Double
    /// Why, in words.
    var evidence: String
    /// What the session did about it.
    var policy: FailurePolicy
    /// How long it was away; nil if it did not come back from this loss.
    var awaySeconds: Double?
}

/// The plugins that were lost, oldest first, for the report.
struct PluginLosses {
    private static let limit = 1000

    private(set) var all: [PluginLoss] = []

    /// Takes a loss down; beyond 1000 none.
    mutating func add(_ loss: PluginLoss) {
        guard all.count < Self.limit else { return }
        all.append(loss)
    }

    /// Notes how long the plugin was away after its last loss.
    mutating func returned(_ role: String, after seconds: Double) {
        guard let last = all.lastIndex(where: { $0.role == role }) else { return }
        all[last].awaySeconds = seconds
    }
}
