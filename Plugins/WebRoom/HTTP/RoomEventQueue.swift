import FlyingSocks
import Glibc

/// The events of the page's connections: FlyingSocks' own queue, which leaves the file open that wakes
/// it when the server ends.
struct RoomEventQueue: EventQueue {
    private var queue = ePoll(maxEvents: 20)
    private var trigger: Int32?

    mutating func open() throws {
        try queue.open()
        trigger =
            (Mirror(reflecting: queue).descendant("canary") as? Socket.FileDescriptor)?.rawValue
    }

    mutating func stop() throws { try queue.stop() }

    /// No thread waits for events any more.
    mutating func close() throws {
        if let trigger = trigger.take() { Glibc.close(trigger) }
        try queue.close()
    }

    mutating func addEvents(
        _ events: Socket.Events, for socket: Socket.FileDescriptor
    ) throws {
        try queue.addEvents(events, for: socket)
    }

    mutating func removeEvents(
        _ events: Socket.Events, for socket: Socket.FileDescriptor
    ) throws {
        try queue.removeEvents(events, for: socket)
    }

    func getNotifications() throws -> [EventNotification] { try queue.getNotifications() }
}
