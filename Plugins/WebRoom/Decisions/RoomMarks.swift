/// Decides whose audio a room leaves out of what it sends to another room, so that no room receives its own
/// audio again, over any number of rooms.
///
/// Each room has a random name. A connection between two rooms carries the name of the room that describes it,
/// and the names of the rooms whose audio it contains. A media server passes no names on.
package enum RoomMarks {
    /// The marks that the far end of a connection sends.
    package struct Far: Equatable, Sendable {
        /// The far room; nil for another program.
        package var room: String?
        /// The rooms whose audio comes from the far end, with the far room.
        package var carried: Set<String>

        /// - Parameter rooms: The rooms of the far end's description.
        package init(_ rooms: [String]) { (room, carried) = (rooms.first, Set(rooms)) }
    }

    /// The participants to leave out of the audio for a room.
    ///
    /// - Parameters:
    ///   - far: The rooms of each participant that is a room.
    ///   - target: The room that receives the audio; nil for another program.
    package static func leftOut(of far: [UInt32: Far], for target: String?) -> Set<UInt32> {
        guard let target else { return [] }
        return Set(far.filter { $0.value.carried.contains(target) }.keys)
    }

    /// The rooms of a description: this room, and the rooms in the audio that it sends.
    package static func rooms(_ own: String, far: [UInt32: Far], without leftOut: Set<UInt32>)
        -> [String]
    {
        let others = far.filter { !leftOut.contains($0.key) }.reduce(into: Set<String>()) {
            $0.formUnion($1.value.carried)
        }
        return [own] + others.subtracting([own]).sorted()
    }
}
