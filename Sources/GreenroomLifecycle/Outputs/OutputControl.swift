package import GreenroomModel
import GreenroomMedia
import GreenroomRuntime

/// The output plugin's reports since its last start: ceilings, state and changed wants.
package final class OutputControl: Sendable {
    /// The shortest time between two served requests, in nanoseconds of the session clock.
    private static let requestNanoseconds: Int64 = 250_000_000

    /// A plugin's upper limit for a track.
    struct Ceiling: Equatable {
        var limit: VideoCapability
        /// The plugin's reason.
        var reason: String
    }

    /// The state that the plugin reported, with its text.
    package struct Condition: Equatable {
        /// Its state.
        package var state: OutputCondition
        var text: String?

        /// The condition as text, e.g. `lost: the server has gone`.
        var words: String { state.rawValue + (text.map { ": \($0)" } ?? "") }
    }

    private struct State {
        /// Whether the life is still running.
        var isAlive = false
        var ceilings: [UInt32: Ceiling] = [:]
        var condition: Condition?
        /// Whether the output was live in any life.
        var hasBeenLive = false
        /// Whether the plugin has an unserved request.
        var isRequested = false
        /// The time of the last served request, on the session clock; nil before the first.
        var served: Int64?
        /// Whether the plugin has answered since the session last read the answers.
        var hasNews = false
    }

    private let state = Monitor(State())

    /// Whether the life is still running.
    var isAlive: Bool { state.withLock { $0.isAlive } }

    /// The ceiling of a track; nil if there is none, and after the life.
    func ceiling(of track: UInt32) -> Ceiling? {
        state.withLock { $0.isAlive ? $0.ceilings[track] : nil }
    }

    /// The last ceiling of a track, for the report.
    func lastCeiling(of track: UInt32) -> Ceiling? { state.withLock { $0.ceilings[track] } }

    /// Sets the ceiling of a track; nil lifts it. [any]
    ///
    /// - Returns: Whether the ceiling changed.
    func set(_ ceiling: Ceiling?, of track: UInt32) -> Bool {
        state.withLock { state in
            guard state.ceilings[track] != ceiling else { return false }
            state.ceilings[track] = ceiling
            return true
        }
    }

    /// Removes the ceilings of ended tracks.
    func forget(_ tracks: [UInt32]) {
        state.withLock { state in
            for track in tracks { state.ceilings[track] = nil }
        }
    }

    /// The state that the plugin reported; nil if none.
    package var condition: Condition? { state.withLock { $0.condition } }

    /// Whether the plugin reported `live` in any life.
    package var hasBeenLive: Bool { state.withLock { $0.hasBeenLive } }

    /// Stores the state that the plugin reports. [any]
    ///
    /// - Returns: Whether the condition changed.
    func set(_ condition: Condition) -> Bool {
        state.withLock { state in
            guard state.condition != condition else { return false }
            state.condition = condition
            state.hasBeenLive = state.hasBeenLive || condition.state == .live
            return true
        }
    }

    /// Begins a life, without a condition.
    func beginLife() {
        state.withLock { state in
            state.isAlive = true
            state.ceilings = [:]
            state.condition = nil
            state.isRequested = false
        }
    }

    /// Ends the life and its ceilings.
    func endLife() {
        state.withLock { state in
            state.isAlive = false
            state.isRequested = false
        }
    }

    // MARK: Wants

    /// Records a request to describe the tracks again. [any]
    func request() { state.withLock { $0.isRequested = true } }

    /// Whether the plugin has an unserved request.
    package var isRequested: Bool { state.withLock { $0.isRequested } }

    /// The time at which the plugin's request can be served, on the session clock; nil if there is
    /// none.
    package var nextRequest: Int64? {
        state.withLock { state in
            state.isRequested ? state.served.map { $0 + Self.requestNanoseconds } ?? 0 : nil
        }
    }

    /// Takes the plugin's request if there is one and the minimum interval since the last has
    /// passed.
    ///
    /// - Parameter now: The time on the session clock.
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

    /// Clears earlier requests, because the host is about to describe the tracks. [control]
    func willDescribe() { state.withLock { $0.isRequested = false } }

    /// Records that the plugin has answered. [control]
    package func didDescribe() { state.withLock { $0.hasNews = true } }

    /// Returns whether the plugin has answered since the last call, and clears the flag.
    package func takeNews() -> Bool {
        state.withLock { state in
            defer { state.hasNews = false }
            return state.hasNews
        }
    }
}
