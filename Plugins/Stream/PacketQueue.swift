import PluginEncoding
import GreenroomPlugin
import Glibc
import Synchronization

/// The packets between the encoders and the network: at most 4 s of media.
final class PacketQueue: Sendable {
    /// Longer waits cost all packets up to the next key frame.
    private static let longest: Int64 = 4_000_000_000

    /// A packet is handed over: its former owner has no reference to it.
    struct Item: @unchecked Sendable {
        let packet: Packet
        let isVideo: Bool
    }

    fileprivate struct State {
        var items: [Item] = []
        /// Whether the thread takes packets.
        var isOpen = false
        /// Whether packets are sent: before, they wait for the connection and not for the network.
        var isSending = false
        /// Whether the next packet has to be a key frame.
        var awaitsKey = true
        var wantsKey = true
        var isFinished = false
        var lostFrames = 0
    }

    private let state = Mutex(State())
    private let wakeup = StreamWakeup()

    /// Adds a packet. Without a connection, and before the first key frame, it is lost.
    func add(_ packet: Packet, isVideo: Bool) {
        let item = Item(packet: packet, isVideo: isVideo)
        state.withLock { state in
            if state.behind >= Self.longest { state.dropAll() }
            if item.isVideo, item.packet.isKey { state.awaitsKey = false }
            guard state.isOpen, !state.awaitsKey else {
                if item.isVideo { state.lostFrames += 1 }
                return
            }
            state.items.append(item)
        }
        wakeup.post()
    }

    /// The media that waits, in nanoseconds.
    var behind: Int64 { state.withLock { $0.behind } }

    var isFull: Bool { behind >= Self.longest / 2 }

    var lostFrames: Int { state.withLock { $0.lostFrames } }

    /// Counts a frame that never became a packet.
    func loseFrame() { state.withLock { $0.lostFrames += 1 } }

    /// The media that waits for the network, in nanoseconds; 0 without a connection.
    var lateness: Int64 { state.withLock { $0.isSending ? $0.behind : 0 } }

    /// The connection is made.
    func beginSending() { state.withLock { $0.isSending = true } }

    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Whether the next frame has to be a key frame; asks once.
    func takesKeyRequest() -> Bool {
        state.withLock { state in
            defer { state.wantsKey = false }
            return state.wantsKey
        }
    }

    /// Takes packets from the next key frame on, or none.
    func setOpen(_ isOpen: Bool) {
        state.withLock { state in
            state.dropAll()
            state.isOpen = isOpen
            state.isSending = false
        }
    }

    /// No more packets come.
    func finish() {
        state.withLock { $0.isFinished = true }
        wakeup.post()
    }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Waits for a packet.
    ///
    /// - Returns: nil at the end.
    func next() -> Item? {
        while true {
            let (item, isFinished) = state.withLock { state in
                (state.items.isEmpty ? nil : state.items.removeFirst(), state.isFinished)
            }
            if let item { return item }
            if isFinished { return nil }
            wakeup.wait(milliseconds: -1)
        }
    }

    /// Waits for the end of the packets, at most for some time.
    func waitForFinish(nanoseconds: Int64) {
        let end = StreamWakeup.now() + nanoseconds / 1_000_000
        while !isFinished, case let left = end - StreamWakeup.now(), left > 0 {
            wakeup.wait(milliseconds: left)
        }
    }
}

extension PacketQueue.State {
    fileprivate var behind: Int64 {
        guard let first = items.first, let last = items.last else { return 0 }
        return max(last.packet.start - first.packet.start, 0)
    }

    fileprivate mutating func dropAll() {
        lostFrames += items.count { $0.isVideo }
        items.removeAll()
        awaitsKey = true
        wantsKey = true
    }
}

/// A semaphore.
final class StreamWakeup: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func post() { sem_post(semaphore) }

    /// Waits for a post; negative for no limit. May return early.
    func wait(milliseconds: Int64) {
        guard milliseconds >= 0 else {
            sem_wait(semaphore)
            return
        }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        time.tv_sec += Int(milliseconds / 1000)
        time.tv_nsec += Int(milliseconds % 1000) * 1_000_000
        if time.tv_nsec >= 1_000_000_000 {
            time.tv_sec += 1
            time.tv_nsec -= 1_000_000_000
        }
        sem_timedwait(semaphore, &time)
    }

    /// Milliseconds of real time.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
