/// The cost of a room, measured by `Tests/Benchmarks/rooms.sh`, for estimates before a room has guests.
///
/// The costs add up: a room with guests costs a room, and each of its parts as often as it has them. The
/// manual's page *Many rooms* has this table, and a simulation of fleets reads it there.
package struct RoomCost: Equatable, Sendable {
    /// Processor cores.
    package var cores: Double
    /// Memory of the host and its processes, in MB; memory that several share counts once.
    package var memory: Double
    /// UDP ports for each address of the machine.
    package var ports: Double
    /// Sent and received bits, in Mbit/s.
    package var megabits: Double

    package init(cores: Double, memory: Double, ports: Double = 0, megabits: Double = 0) {
        self.cores = cores
        self.memory = memory
        self.ports = ports
        self.megabits = megabits
    }

    /// A part of a room.
    package enum Part: String, CaseIterable, Sendable {
        /// The host and the room's process, with nobody in the room.
        case room = "a room"
        /// A camera of 1280x720@30 and a microphone of the session, without viewers.
        case source = "a camera"
        /// The encoder of 1280x720@30 for the first viewer.
        case encoder = "an encoder"
        /// A connection that watches.
        case viewer = "a viewer"
        /// A connection that sends 320x180@15 and audio.
        case guest = "a guest"
        /// A guest's video in the stage or a recording.
        case decoder = "a guest's decoder"
        /// A composed video of 1280x720@30.
        case stage = "a stage"
        /// A recording of 1280x720@30 with VP8.
        case recording = "a recording"
    }

    /// The cost of each part.
    package static func of(_ part: Part) -> RoomCost {
        switch part {
        case .room: RoomCost(cores: 0.005, memory: 48)
        case .source: RoomCost(cores: 0.03, memory: 8)
        case .encoder: RoomCost(cores: 0.17, memory: 51)
        case .viewer: RoomCost(cores: 0.008, memory: 1, ports: 1, megabits: 1.3)
        case .guest: RoomCost(cores: 0.02, memory: 2, ports: 1, megabits: 0.3)
        case .decoder: RoomCost(cores: 0.005, memory: 1)
        case .stage: RoomCost(cores: 0.02, memory: 22)
        case .recording: RoomCost(cores: 0.21, memory: 54)
        }
    }

    /// The cost of parts together.
    ///
    /// - Parameter parts: The number of each part.
    package static func sum(_ parts: [Part: Int]) -> RoomCost {
        parts.reduce(into: RoomCost(cores: 0, memory: 0)) { sum, entry in
            let (cost, count) = (of(entry.key), Double(entry.value))
            sum.cores += cost.cores * count
            sum.memory += cost.memory * count
            sum.ports += cost.ports * count
            sum.megabits += cost.megabits * count
        }
    }
}
