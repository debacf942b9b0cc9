import Dispatch
import GreenroomABI
import GreenroomMedia
import Synchronization

/// A host of one instance, based on the C header alone, with a controlled clock: a wait returns at
/// once with the awaited time, until the session's end.
final class FakeHost: Sendable {
    struct Refusal: Error { var status: Status }

    struct State {
        var now: Int64 = 1_000_000_000
        var end: Int64 = .max
        var isSending = false
        var hasStarted = false
        var isGone = false
        var log: [String] = []
        var errors: [String] = []
        var givenUp: [(status: Status, text: String)] = []
        var waits: [Int64] = []
        var video = FakeVideo()
        var output = FakeOutput()
        var call = FakeCall()
        var control = FakeControl()
        /// Whether the source has nothing new to send, at each change.
        var holds: [Bool] = []
        /// The frames and blocks that the source could not decode.
        var damaged = 0
        var blocks: [SentBlock] = []
        var audioRefusals: [Status] = []
        /// Whether received samples are kept; they are always counted.
        var keepsSamples = true
        var sampleCount = 0
    }

    struct SentBlock: Equatable {
        var sampleRate: Int
        var channels: Int
        var frames: Int
        var pts: Int64
        var timeout: Int64
        var samples: [Int16]
    }

    /// Signalled when a thread waits beyond the session's end, until stop.
    private let reachedEnd = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)
    let id: UInt64
    let state: Mutex<State>

    private static let hosts = Mutex<(next: UInt64, all: [UInt64: FakeHost])>((1, [:]))

    init() {
        state = Mutex(State())
        id = Self.hosts.withLock { hosts in
            hosts.next += 1
            return hosts.next
        }
        Self.hosts.withLock { $0.all[id] = self }
    }

    /// The host of an instance or of a sender; nil for the sender of a track that is not open.
    static subscript(id: UInt64) -> FakeHost? {
        guard let host = hosts.withLock({ $0.all[id & 0xFFFF_FFFF] }) else { return nil }
        return id == host.id || host.state.withLock { $0.call.tracks[id] != nil } ? host : nil
    }

    // MARK: - Control by tests

    /// Advances the clock, like a slow callback.
    func advance(by nanoseconds: Int64) { state.withLock { $0.now += nanoseconds } }

    func begin() {
        while stopped.wait(timeout: .now()) == .success {}
        while reachedEnd.wait(timeout: .now()) == .success {}
        state.withLock { state in
            state.isSending = true
            state.hasStarted = true
        }
    }

    /// Lets threads that wait at the end continue to a later end.
    func resume(until end: Int64) {
        state.withLock { $0.end = end }
        stopped.signal()
    }

    /// Waits until a thread waits for the end of the session, or gives up.
    func waitForEnd() { reachedEnd.wait() }

    func end() {
        state.withLock { $0.isSending = false }
        stopped.signal()
    }

    // MARK: - The C tables

    func refuse(_ status: Status, _ text: String) -> gr_status {
        Self.lastRefusal.withLock { $0[currentThread()] = "\(text) (\(status))" }
        return status.rawValue
    }

    private static let lastRefusal = Mutex<[UInt: String]>([:])

    /// The refusal that applies to every send, if any.
    func ingest() -> Status? {
        state.withLock { state in
            if state.isGone { return .gone }
            if state.isSending { return nil }
            return state.hasStarted ? .stopped : .notStarted
        }
    }

    static let functions = Leaked(
        gr_host(
            struct_size: UInt32(MemoryLayout<gr_host>.size), abi_major: 1, abi_minor: 0,
            name: cString("fake"), version: cString("1.0"),
            log: { id, level, text in
                let line = "\(level) \(String(cString: text))"
                FakeHost[id]?.state.withLock { $0.log.append(line) }
            },
            set_error: { id, text in
                let text = String(cString: text)
                FakeHost[id]?.state.withLock { $0.errors.append(text) }
            },
            give_up: { id, status, text in
                let text = String(cString: text)
                FakeHost[id]?.state.withLock {
                    $0.givenUp.append((Status(rawValue: status), text))
                }
                FakeHost[id]?.reachedEnd.signal()
            },
            now_ns: { id in FakeHost[id]?.state.withLock { $0.now } ?? 0 },
            wait_until_ns: { id, deadline in
                FakeHost[id]?.wait(until: deadline) ?? Status.gone.rawValue
            },
            refusal_text: { buffer, capacity in
                let text = FakeHost.lastRefusal.withLock { $0[currentThread()] ?? "" }
                let bytes = Array(text.utf8)
                if let buffer, capacity > 0 {
                    let count = min(bytes.count, Int(capacity) - 1)
                    for index in 0..<count { buffer[index] = CChar(bitPattern: bytes[index]) }
                    buffer[count] = 0
                }
                return UInt64(bytes.count)
            },
            get_extension: { id, name in
                let (isOutput, isCall, isGranted) =
                    FakeHost[id]?.state.withLock {
                        ($0.output.isOutput, $0.call.isCall, $0.control.isGranted)
                    } ?? (false, false, false)
                return switch String(cString: name) {
                case GR_EXT_HOLD: UnsafeRawPointer(FakeHost.hold.pointer)
                case GR_EXT_CONTROL_HOST where isGranted:
                    UnsafeRawPointer(FakeHost.control.pointer)
                case GR_EXT_OUTPUT_HOST where isOutput:
                    UnsafeRawPointer(FakeHost.output.pointer)
                case GR_EXT_FILES_HOST where isOutput: UnsafeRawPointer(FakeHost.files.pointer)
                case GR_EXT_CALL_HOST where isCall: UnsafeRawPointer(FakeHost.call.pointer)
                default: nil
                }
            }))

    private static let hold = Leaked(
        gr_hold(
            struct_size: UInt32(MemoryLayout<gr_hold>.size), reserved: 0,
            held: { id, isHeld in
                FakeHost[id]?.state.withLock { $0.holds.append(isHeld != 0) }
                return Status.ok.rawValue
            },
            damaged: { id, count in
                FakeHost[id]?.state.withLock { $0.damaged += Int(count) }
                return Status.ok.rawValue
            }))

    private func wait(until deadline: Int64) -> gr_status {
        if let refusal = ingest() { return refuse(refusal, "wait_until_ns") }
        let isBeyond = state.withLock { state in
            guard deadline < state.end else { return true }
            if state.keepsSamples { state.waits.append(deadline) }
            state.now = max(state.now, deadline)
            return false
        }
        guard isBeyond else { return Status.ok.rawValue }
        reachedEnd.signal()
        stopped.wait()
        return wait(until: deadline)
    }

    static let audio = Leaked(
        gr_audio_functions(
            struct_size: UInt32(MemoryLayout<gr_audio_functions>.size), reserved: 0,
            send: { sender, block, timeout in
                guard let host = FakeHost[sender] else { return Status.gone.rawValue }
                return host.send(block.pointee, timeout)
            }))

    private func send(_ block: gr_audio_block, _ timeout: Int64) -> gr_status {
        if let refusal = ingest() { return refuse(refusal, "audio send") }
        let scripted = state.withLock { state in
            state.audioRefusals.isEmpty ? nil : state.audioRefusals.removeFirst()
        }
        if let scripted { return refuse(scripted, "audio send") }
        let count = Int(block.frame_count * block.channels)
        guard block.struct_size == 40, block.size_bytes == UInt64(count * 2) else {
            return refuse(.badBlock, "size_bytes")
        }
        let samples = UnsafeBufferPointer(start: block.samples, count: count)
        state.withLock { state in
            state.sampleCount += Int(block.frame_count)
            guard state.keepsSamples else { return }
            state.blocks.append(
                SentBlock(
                    sampleRate: Int(block.sample_rate_hz), channels: Int(block.channels),
                    frames: Int(block.frame_count), pts: block.pts_ns, timeout: timeout,
                    samples: Array(samples)))
        }
        return Status.ok.rawValue
    }
}

/// A table that is never freed.
struct Leaked<Table>: @unchecked Sendable {
    // Safe to share: written before it is published, then only read.
    let pointer: UnsafePointer<Table>

    init(_ table: Table) {
        let memory = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        memory.initialize(to: table)
        pointer = UnsafePointer(memory)
    }
}

/// A C string that is never freed; equal texts share one.
func cString(_ text: String) -> UnsafePointer<CChar> {
    strings.withLock { strings in
        if let known = strings[text] { return known.pointer }
        let bytes = Array(text.utf8CString)
        let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        memory.initialize(from: bytes, count: bytes.count)
        strings[text] = CString(pointer: UnsafePointer(memory))
        return UnsafePointer(memory)
    }
}

private struct CString: @unchecked Sendable {
    // Safe to share: written before it is published, then only read.
    let pointer: UnsafePointer<CChar>
}

private let strings = Mutex<[String: CString]>([:])
