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

    /// The current time in seconds since 1970, as TURN passwords need it.
    static var now: Int { time(nil) }
}
