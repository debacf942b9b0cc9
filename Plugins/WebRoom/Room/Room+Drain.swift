import GreenroomPlugin
import RoomDecisions
import Synchronization

/// A room that drains keeps its guests and accepts no new ones.
extension Room {
    /// Begins to drain, or ends it. Names of present guests may join again: after a reload, and after a
    /// lost connection.
    func setDraining(_ isDraining: Bool) {
        state.withLock { state in
            guard isDraining != (state.returning != nil) else { return }
            state.returning =
                isDraining ? Set(state.guests.values.map { $0.name.lowercased() }) : nil
            state.revision += 1
        }
        report()
    }

    /// Whether the room drains, and all guests have left.
    var isDrained: Bool {
        state.withLock { state in
            let fetched = state.servers[.fetch]
            return state.returning != nil && state.guests.keys.allSatisfy { $0 == fetched }
        }
    }

    /// Whether the room accepts new people.
    struct Readiness: Encodable, Equatable {
        /// `ready`, `draining`, `full` or `closed`.
        var status: String
        /// The reason for people; nil if the room is ready.
        var reason: String?
    }

    /// Whether the room has a place for another guest, or for another viewer if it has no guests' link.
    ///
    /// - Parameter hasGuests: Whether the room has a guests' link.
    func readiness(hasGuests: Bool) -> Readiness {
        let (isDraining, left) = (state.withLock { $0.returning != nil }, placesLeft)
        if isDraining { return Readiness(status: "draining", reason: Self.drains.description) }
        if hasGuests, left.guests == 0 {
            let (viewers, guests) = counts
            return Readiness(
                status: "full",
                reason: "The room has no place for another guest, who also watches. It has "
                    + "\(guests) guests and \(viewers) viewers.")
        }
        if !hasGuests, left.viewers == 0 {
            return Readiness(status: "full", reason: Self.full.description)
        }
        return Readiness(status: "ready")
    }

    /// The places that are free now, for viewers or for guests.
    var placesLeft: (viewers: Int, guests: Int) {
        let openFiles = openFiles
        return state.withLock { state in
            RoomLimits.placesLeft(
                viewers: state.places[.viewer, default: 0],
                guests: state.places[.guest, default: 0],
                shares: state.places[.share, default: 0],
                layered: Self.layered(in: state), openFiles: openFiles)
        }
    }

    /// Refuses a new guest while the room drains.
    func expectOpen(for name: String) throws(RequestError) {
        let isReturning = state.withLock { $0.returning?.contains(name.lowercased()) ?? true }
        guard isReturning else { throw Self.drains }
    }

    private static let drains = RequestError(
        .full, "The room is closing: it accepts no new guests.")
}
