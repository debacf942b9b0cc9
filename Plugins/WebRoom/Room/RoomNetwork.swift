import Glibc
import RoomDecisions

/// Describes how the room's media are reached, by its settings.
struct RoomNetwork: Sendable {
    /// The only address at which media can be reached; nil: all addresses of the machine that others can use.
    var address: String?
    /// The ports of UDP that media use; nil: any.
    var ports: ClosedRange<UInt16>?
    var announcement = Announcement.none
    var servers = IceServers()

    /// Now, as servers' passwords count it: seconds since 1970.
    static var now: Int { time(nil) }
}
