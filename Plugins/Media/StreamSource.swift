import CDecoderCrash
import CFFmpeg
import Glibc
import MediaDecisions
import GreenroomPlugin
import Synchronization

/// A stream of the network. A thread connects, reads, and connects again.
final class StreamSource: MediaSource {
    private struct State {
        var tracks: [StreamParameters?] = [nil, nil]
        var queues = [DemuxedPackets](repeating: DemuxedPackets(), count: MediaTrack.allCases.count)
        var readers: [MediaTrack: DemuxedPackets.Keeping] = [:]
        var buffer = PacketSchedule()
        /// The number of the connection: each is a leg.
        var connection = 0
        var isConnected = false
        /// Whether a recording of the server has ended, and its last frame is held.
        var isFinished = false
        var settings: MediaSettings
        /// The time of the last warning about a late stream.
        var lastNote: Int64?
    }

    let name: String
    let notes: [String] = []
    let origin: Int64 = 0
    let speed = 1.0
    let hasTimestamps = true
    private let address: MediaAddress
    private let host: PluginHost
    private let state: Mutex<State>
    private let interrupt = Interrupt()
    private let wakeup = Wakeup()
    private let thread: Mutex<PluginThread?>

    /// Begins to connect, and waits a moment for the format.
    init(_ address: MediaAddress, _ settings: MediaSettings, host: PluginHost) throws {
        name = address.name
        decoder_crash_tell(name)
        self.address = address
        self.host = host
        state = Mutex(State(settings: settings))
        thread = Mutex(nil)
        let connected = Wakeup()
        // The thread ends when the source is released, so it must not keep it.
        let link = Link(self)
        let started = try PluginThread(name: "media stream") { [wakeup, interrupt, settings] in
            StreamReader(address, settings, interrupt, wakeup, host) { link.source }.run(connected)
        }
        thread.withLock { $0 = started }
        connected.wait(nanoseconds: Self.patience)
    }

    /// The time that the first connection may take to have a say in the session's format.
    private static let patience: Int64 = 1_500_000_000

    deinit {
        interrupt.set()
        wakeup.post()
        thread.withLock { $0 }?.join()
    }

    private final class Link: Sendable {
        private let stored: Mutex<Weak>
        private struct Weak { weak var source: StreamSource? }
        init(_ source: StreamSource) { stored = Mutex(Weak(source: source)) }
        var source: StreamSource? { stored.withLock { $0.source } }
    }

    // MARK: For the plugins

    func parameters(of track: MediaTrack) -> StreamParameters? {
        state.withLock { $0.tracks[track.rawValue] }
    }

    func take(_ track: MediaTrack, for settings: MediaSettings) -> Bool {
        state.withLock { state in
            guard state.settings.plays(like: settings), state.readers[track] == nil else {
                return false
            }
            state.readers[track] = .all
            return true
        }
    }

    func keep(_ keeping: DemuxedPackets.Keeping, of track: MediaTrack) {
        state.withLock { $0.readers[track] = keeping }
    }

    func release(_ track: MediaTrack) { state.withLock { $0.readers[track] = nil } }

    func place(at time: Int64) -> Playback.Place {
        state.withLock { state in
            let leg = Playback.Leg(number: state.connection, start: 0, end: .max)
            guard let position = state.buffer.position(at: time), !state.settings.isPaused.value
            else { return Playback.Place(leg: leg, position: 0, stands: true) }
            return Playback.Place(leg: leg, position: position, stands: false)
        }
    }

    func change(from old: MediaSettings, to new: MediaSettings, at time: Int64) {
        let isIgnored = state.withLock { state in
            let (controls, isPaused) = (state.settings.controls, state.settings.isPaused.value)
            let jumps = state.settings.take(from: new, since: old)
            return jumps
                || state.settings.controls != controls && state.settings.isPaused.value == isPaused
        }
        if isIgnored { host.log(.warning, "\(name): a stream can only be paused") }
    }

    var isLost: Bool { state.withLock { !$0.isConnected || $0.isFinished } }

    func packet(of track: MediaTrack, at place: Playback.Place) throws -> NextPacket {
        let packet = state.withLock { state in
            while let entry = state.queues[track.rawValue].first, entry.leg < place.leg.number {
                _ = state.queues[track.rawValue].removeFirst()
            }
            return state.queues[track.rawValue].removeFirst()
        }
        wakeup.post()
        return packet.map { .packet($0) } ?? .waiting
    }

    // MARK: For the thread

    /// A connection has begun.
    func connected(_ tracks: [StreamParameters?]) {
        state.withLock { state in
            state.connection += 1
            state.isConnected = true
            state.tracks = tracks
            state.buffer.reset()
            for index in state.queues.indices { while state.queues[index].removeFirst() != nil {} }
        }
    }

    /// The connection has ended.
    func disconnected() { state.withLock { $0.isConnected = false } }

    /// The stream has ended for good.
    func finished() { state.withLock { $0.isFinished = true } }

    /// A packet has come.
    ///
    /// - Returns: Whether enough packets of a server that does not pace them wait.
    func append(_ packet: MediaPacket, of track: MediaTrack) -> Bool {
        let now = host.nowNanoseconds
        let (note, isFull) = state.withLock { state -> (String?, Bool) in
            guard let parameters = state.tracks[track.rawValue] else { return (nil, false) }
            var note: String?
            var position: Int64?
            if let time = packet.time {
                let start = nanoseconds(time, parameters.timeBase)
                position = start
                let change = state.buffer.arrived(start, at: now, limited: !address.isPaced)
                note = Self.text(of: change)
                if note != nil, let last = state.lastNote, now - last < Self.noteDistance {
                    note = nil
                } else if note != nil {
                    state.lastNote = now
                }
            }
            if let keeping = state.readers[track] {
                state.queues[track.rawValue].append(packet, leg: state.connection, keeping)
            }
            guard address.isPaced, let position, let due = state.buffer.position(at: now) else {
                return (note, false)
            }
            return (note, position - due > Self.ahead)
        }
        if let note { host.log(.warning, "\(name): \(note)") }
        return isFull
    }

    /// Whether enough packets wait, the last of which is this one.
    func isAhead(_ packet: MediaPacket, of track: MediaTrack) -> Bool {
        let now = host.nowNanoseconds
        return state.withLock { state in
            guard let time = packet.time, let parameters = state.tracks[track.rawValue],
                let due = state.buffer.position(at: now)
            else { return false }
            return nanoseconds(time, parameters.timeBase) - due > Self.ahead
        }
    }

    /// The lead with which the plugin reads from a server that does not pace its packets.
    private static let ahead: Int64 = 2_000_000_000
    /// The shortest time between two notes about lateness.
    private static let noteDistance: Int64 = 10_000_000_000

    private static func text(of change: PacketSchedule.Change?) -> String? {
        switch change {
        case .late(let time): "packets are late; playback pauses for \(seconds(time)) s"
        case .skipped(let time): "packets arrive too fast; \(seconds(time)) s are skipped"
        case .begun, nil: nil
        }
    }

    /// Whether packets that have come are still to be played.
    var hasPackets: Bool {
        state.withLock { state in state.queues.contains { $0.first != nil } }
    }

    /// Whether a stream that has ended begins again.
    var loops: Bool { state.withLock { $0.settings.loops.value } }
}

/// The work of a stream's thread.
private struct StreamReader {
    private let address: MediaAddress
    private let settings: MediaSettings
    private let interrupt: Interrupt
    private let wakeup: Wakeup
    private let host: PluginHost
    private let source: () -> StreamSource?

    init(
        _ address: MediaAddress, _ settings: MediaSettings, _ interrupt: Interrupt,
        _ wakeup: Wakeup, _ host: PluginHost, source: @escaping () -> StreamSource?
    ) {
        self.address = address
        self.settings = settings
        self.interrupt = interrupt
        self.wakeup = wakeup
        self.host = host
        self.source = source
    }

    /// Connects and reads until the source is released.
    func run(_ connected: Wakeup) {
        var backoff = StreamBackoff()
        while !interrupt.isSet {
            let reason: String
            do {
                var demuxer = try Demuxer(
                    address, audioTrack: settings.audioTrack, interrupt: interrupt)
                host.log(.info, "\(address.name): connected; \(demuxer.contents)")
                source()?.connected(demuxer.parameters)
                connected.post()
                backoff.reset()
                reason = read(&demuxer)
                if demuxer.length != nil, address.isPaced, !interrupt.isSet {
                    guard finish() else { return }
                    continue
                }
            } catch {
                reason = "\(error)".replacing("\(address.name): ", with: "")
            }
            source()?.disconnected()
            guard !interrupt.isSet else { return }
            let delay = backoff.next()
            host.log(
                .warning, "\(address.name): \(reason); reconnecting in \(seconds(delay)) s")
            pause(delay)
        }
    }

    /// Reads until the connection ends.
    ///
    /// - Returns: Why it has ended.
    private func read(_ demuxer: inout Demuxer) -> String {
        while !interrupt.isSet {
            do {
                guard let (packet, track) = try demuxer.next() else { return "ended" }
                guard let source = source() else { return "released" }
                var isFull = source.append(packet, of: track)
                while isFull, !interrupt.isSet {
                    wakeup.wait(nanoseconds: 50_000_000)
                    isFull = source.isAhead(packet, of: track)
                }
            } catch {
                return "\(error)"
            }
        }
        return "released"
    }

    /// A recording of a server has been read to its end.
    ///
    /// - Returns: Whether it begins again.
    private func finish() -> Bool {
        while !interrupt.isSet, source()?.hasPackets ?? false {
            wakeup.wait(nanoseconds: 50_000_000)
        }
        guard source()?.loops ?? false else {
            source()?.finished()
            host.log(.info, "\(address.name): stream ended; holding the last frame")
            return false
        }
        return true
    }

    /// The network has its own time: no clock of a session makes a server come back sooner.
    private func pause(_ nanoseconds: Int64) {
        let end = MonotonicTime.now + nanoseconds
        while !interrupt.isSet, MonotonicTime.now < end {
            wakeup.wait(nanoseconds: end - MonotonicTime.now)
        }
    }
}

/// The machine's clock, for the network.
enum MonotonicTime {
    static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}

/// Wakes a thread that waits.
final class Wakeup: @unchecked Sendable {
    // Safe: a semaphore is made for several threads, and its address stays the same.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func post() {
        var value: Int32 = 0
        sem_getvalue(semaphore, &value)
        if value == 0 { sem_post(semaphore) }
    }

    /// Waits until it is woken, at most for a time.
    func wait(nanoseconds: Int64) {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        let sum = Int64(end.tv_nsec) + max(nanoseconds, 0)
        end.tv_sec += Int(sum / 1_000_000_000)
        end.tv_nsec = Int(sum % 1_000_000_000)
        while sem_timedwait(semaphore, &end) != 0, errno == EINTR {}
    }
}
