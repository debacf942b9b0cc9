package import GreenroomModel
import GreenroomMedia
import GreenroomRuntime

/// The output plugin's reports since its last start: ceilings, state and changed wants.
package final class OutputControl: Sendable {
    /// The shortest time between two requests that are served, on the session clock.
    private static let requestNanoseconds: Int64 = 250_000_000

    /// The most that the plugin can use of a track.
    struct Ceiling: Equatable {
        var limit: VideoCapability
        /// The plugin's reason.
        var reason: String
    }

    /// The state that the plugin reported, with its text.
    package struct Condition: Equatable {
        /// Its state.
        package var state: OutputState
        var text: String?

        /// E.g. `lost: the server has gone`.
        var words: String { state.rawValue + (text.map { ": \($0)" } ?? "") }
    }

    private struct State {
        /// Whether the life lasts.
        var isAlive = false
        var ceilings: [UInt32: Ceiling] = [:]
        var condition: Condition?
        /// Whether it was live in any life.
        var hasBeenLive = false
        /// Whether the plugin asks to be asked again.
        var isRequested = false
        /// When such a request was served last, on the session clock.
        var served: Int64?
        /// Whether tracks were described since the session has followed the answers.
        var hasNews = false
    }

    private let state = Monitor(State())

    /// Whether the life lasts.
    var isAlive: Bool { state.withLock { $0.isAlive } }

    /// The ceiling of a track; nil without one, and after the life.
    func ceiling(of track: UInt32) -> Ceiling? {
        state.withLock { $0.isAlive ? $0.ceilings[track] : nil }
    }

    /// The last ceiling of a track, for the report.
    func lastCeiling(of track: UInt32) -> Ceiling? { state.withLock { $0.ceilings[track] } }

    /// Sets the ceiling of a track; nil lifts it. [any]
    ///
    /// - Returns: Whether this is a change.
    func set(_ ceiling: Ceiling?, of track: UInt32) -> Bool {
        state.withLock { state in
            guard state.ceilings[track] != ceiling else { return false }
            state.ceilings[track] = ceiling
            return true
        }
    }

    /// Forgets the ceilings of tracks that have ended.
    func forget(_ tracks: [UInt32]) {
        state.withLock { state in
            for track in tracks { state.ceilings[track] = nil }
        }
    }

    /// The state that the plugin reported; nil if none.
    package var condition: Condition? { state.withLock { $0.condition } }

    /// Whether the plugin has said in any life that it is live.
    package var hasBeenLive: Bool { state.withLock { $0.hasBeenLive } }

    /// Stores the state that the plugin reports. [any]
    ///
    /// - Returns: Whether this is a change.
    func set(_ condition: Condition) -> Bool {
        state.withLock { state in
            guard state.condition != condition else { return false }
            state.condition = condition
            state.hasBeenLive = state.hasBeenLive || condition.state == .live
            return true
        }
    }

    /// A new life begins: it has said nothing.
    func beginLife() {
        state.withLock { state in
            state.isAlive = true
            state.ceilings = [:]
            state.condition = nil
            state.isRequested = false
        }
    }

    /// The life has ended, and with it what it could use.
    func endLife() {
        state.withLock { state in
            state.isAlive = false
            state.isRequested = false
        }
    }

    // MARK: Wants

    /// The plugin asks to be asked again. [any]
    func request() { state.withLock { $0.isRequested = true } }

    /// Whether the plugin asks to be asked again.
    package var isRequested: Bool { state.withLock { $0.isRequested } }

    /// When the plugin's request can be served, on the session clock; nil without one.
    package var nextRequest: Int64? {
        state.withLock { state in
            state.isRequested ? state.served.map { $0 + Self.requestNanoseconds } ?? 0 : nil
        }
    }

    /// Takes the plugin's request, if there is one and the last one was long enough ago.
    ///
    /// - Parameter now: On the session clock.
    package func takeRequest(at now: Int64) -> Bool {
        state.withLock { state in
            guard state.isRequested,
                state.served.map({ now - $0 >= Self.requestNanoseconds }) ?? true
            else { return false }
            state.isRequested = false
            state.served = now
            return true
        }
    }

    /// The plugin is asked now: earlier requests are served. [control]
    func willDescribe() { state.withLock { $0.isRequested = false } }

    /// The plugin has answered. [control]
    package func didDescribe() { state.withLock { $0.hasNews = true } }

    /// Whether the plugin has answered since the news was taken.
    package var hasNews: Bool { state.withLock { $0.hasNews } }

    /// Takes the news that the plugin has answered.
    package func takeNews() -> Bool {
        state.withLock { state in
            defer { state.hasNews = false }
            return state.hasNews
        }
    }
}
