internal import CPipeWire
internal import Glibc
package import GreenroomPlugin
internal import Synchronization

/// A node of PipeWire that other programs use as camera, microphone or loudspeaker.
///
/// After PipeWire ends, calls of `write` and `read` try each second to create the node again; without such
/// calls it stays away. Until then, written audio is lost, and reads return nothing. Only `init` waits for
/// another program.
package final class PipeWireNode: Sendable {
    /// The role of the node for other programs.
    package enum Kind: Equatable, Sendable {
        /// A camera: I420 in one size and rate. The width is a multiple of 2.
        case camera(VideoCapability)
        /// A microphone, 16 bit at 48 kHz.
        case microphone(channels: Int)
        /// A loudspeaker, 16 bit at 48 kHz.
        case loudspeaker(channels: Int)
        /// Captures the audio of other programs, 16 bit at 48 kHz: those whose name contains a
        /// text, or
        /// all if it is empty.
        case tap(program: String, channels: Int)
    }

    /// The outcome of a frame.
    package enum FrameResult: Sendable {
        /// The programs that use the camera have it.
        case written
        /// No program uses the camera.
        case unused
        /// The programs that use the camera hold all its buffers.
        case busy
        /// The node has no connection to PipeWire.
        case disconnected
        /// It has another format or size than the camera.
        case mismatched
    }

    /// The time that PipeWire has to answer at the start: half of the default deadline of a callback.
    private static let timeoutMilliseconds: UInt32 = 1_000
    /// The time between two attempts to connect again.
    private static let pauseNanoseconds: Int64 = 1_000_000_000

    // A node of C is bound to no thread; the mutex lets one at a time use it.
    private struct State: @unchecked Sendable {
        var node: OpaquePointer?
        /// Of all nodes before this one.
        var counts = Counts()
        /// Since the connection was lost.
        var isOut = false
        var nextAttempt: Int64 = 0
    }

    /// The counters of a node, in frames.
    package struct Counts: Equatable, Sendable {
        /// Silence that a microphone played instead of samples that were late.
        package var silent: UInt64 = 0
        /// Samples beyond what the buffer of a microphone or loudspeaker holds, and those that its
        /// reader dropped.
        package var dropped: UInt64 = 0
        /// Lost connections.
        package var disconnections = 0

        /// Nothing yet.
        package init() {}
    }

    private let kind: Kind
    private let name: String
    private let host: PluginHost
    private let state: Mutex<State>

    /// Makes a node.
    ///
    /// - Throws: `Status.unavailable` with the fix if PipeWire is not there.
    package init(_ kind: Kind, name: String, host: PluginHost) throws(PluginError) {
        self.kind = kind
        self.name = name
        self.host = host
        state = Mutex(State())
        var reason = greenroom_pipewire_reason()
        guard let node = try kind.make(name, host, &reason) else {
            throw .noPipeWire(reason.string)
        }
        let phase = Int(greenroom_pipewire_wait(node, Self.timeoutMilliseconds))
        guard phase == GREENROOM_PIPEWIRE_IDLE || phase == GREENROOM_PIPEWIRE_STREAMING else {
            let text =
                phase == GREENROOM_PIPEWIRE_LOST
                ? greenroom_pipewire_loss(node).string : "no answer"
            greenroom_pipewire_close(node)
            throw .noPipeWire(text)
        }
        state.withLock { $0.node = node }
    }

    deinit { close() }

    /// Removes the node.
    package func close() {
        state.withLock { state in
            if let node = state.node { greenroom_pipewire_close(node) }
            state.node = nil
            state.nextAttempt = .max
        }
    }

    /// Writes a frame of a camera, in its format and size.
    package func write(_ frame: borrowing OutputFrame) -> FrameResult {
        // The planes are read in the camera's size, whatever theirs is.
        guard case .camera(let capability) = kind, frame.format == .i420,
            frame.size == capability.size
        else { return .mismatched }
        return frame.plane(0).withUnsafeBytes { y in
            frame.plane(1).withUnsafeBytes { u in
                frame.plane(2).withUnsafeBytes { v in
                    let frame = greenroom_pipewire_frame(
                        y: y.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        u: u.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        v: v.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        y_stride: frame.strideBytes(ofPlane: 0),
                        u_stride: frame.strideBytes(ofPlane: 1),
                        v_stride: frame.strideBytes(ofPlane: 2))
                    return state.withLock { state in
                        guard let node = connected(&state) else { return .disconnected }
                        switch Int(greenroom_pipewire_write_frame(node, frame)) {
                        case GREENROOM_PIPEWIRE_WRITTEN: return .written
                        case GREENROOM_PIPEWIRE_BUSY: return .busy
                        default: return .unused
                        }
                    }
                }
            }
        }
    }

    /// Queues samples for the virtual microphone.
    package func write(_ samples: Span<Int16>) {
        guard case .microphone(let channels) = kind else { return }
        samples.withUnsafeBufferPointer { samples in
            state.withLock { state in
                guard let node = connected(&state), let start = samples.baseAddress else { return }
                greenroom_pipewire_write_samples(node, start, UInt32(samples.count / channels))
            }
        }
    }

    /// Reads captured audio.
    ///
    /// - Returns: The number of frames that were read, at most as many as fit.
    package func read(into samples: inout MutableSpan<Int16>) -> Int {
        let channels: Int
        switch kind {
        case .loudspeaker(let count), .tap(_, let count): channels = count
        case .camera, .microphone: return 0
        }
        return samples.withUnsafeMutableBufferPointer { samples in
            state.withLock { state in
                guard let node = connected(&state), let start = samples.baseAddress else {
                    return 0
                }
                let frames = UInt32(samples.count / channels)
                return Int(greenroom_pipewire_read_samples(node, start, frames))
            }
        }
    }

    /// Counts frames that were read and then dropped.
    package func countDropped(_ frames: Int) {
        state.withLock { $0.counts.dropped += UInt64(clamping: frames) }
    }

    /// The number of other programs' streams that a tap hears.
    package var tapped: Int {
        state.withLock { state in state.node.map { Int(greenroom_pipewire_tapped($0)) } ?? 0 }
    }

    /// The counters so far.
    package var counts: Counts {
        state.withLock { state in
            var counts = state.counts
            if let node = state.node { counts.add(greenroom_pipewire_count(node)) }
            return counts
        }
    }

    /// The node, made again if PipeWire ended; nil while it is not there.
    private func connected(_ state: inout State) -> OpaquePointer? {
        if let node = state.node {
            let phase = Int(greenroom_pipewire_phase(node))
            guard phase == GREENROOM_PIPEWIRE_LOST else {
                if state.isOut, phase != GREENROOM_PIPEWIRE_CONNECTING {
                    state.isOut = false
                    host.log(.info, "PipeWire is back; reconnected \(name)")
                }
                return node
            }
            lose(node, &state)
        }
        let now = host.nowNanoseconds
        guard now >= state.nextAttempt else { return nil }
        state.nextAttempt = now + Self.pauseNanoseconds
        var reason = greenroom_pipewire_reason()
        state.node = try? kind.make(name, host, &reason)
        return state.node
    }

    private func lose(_ node: OpaquePointer, _ state: inout State) {
        let reason = greenroom_pipewire_loss(node).string
        state.counts.add(greenroom_pipewire_count(node))
        greenroom_pipewire_close(node)
        state.node = nil
        state.nextAttempt = host.nowNanoseconds + Self.pauseNanoseconds
        guard !state.isOut else { return }
        state.isOut = true
        state.counts.disconnections += 1
        host.log(.warning, "PipeWire: \(reason); reconnecting every second")
    }
}

extension PipeWireNode.Kind {
    /// - Throws: Why the host does not connect to PipeWire.
    fileprivate func make(
        _ name: String, _ host: PluginHost, _ reason: inout greenroom_pipewire_reason
    ) throws(PluginError) -> OpaquePointer? {
        switch self {
        case .tap(let program, let channels):
            let connection: HostConnection
            do throws(SendRefusal) {
                connection = try host.connect(to: .pipewire)
            } catch {
                throw PluginError(error.text, status: .unavailable)
            }
            // The host's own loudspeaker is one of the programs.
            return greenroom_pipewire_tap_programs(
                connection.descriptor, name, program, UInt32(clamping: channels), Int64(getpid()),
                Int64(getppid()), &reason)
        case .camera(let capability):
            return greenroom_pipewire_camera(
                name, UInt32(clamping: capability.size.width),
                UInt32(clamping: capability.size.height), capability.rate.numerator,
                capability.rate.denominator, &reason)
        case .microphone(let channels):
            return greenroom_pipewire_microphone(name, UInt32(clamping: channels), &reason)
        case .loudspeaker(let channels):
            return greenroom_pipewire_loudspeaker(name, UInt32(clamping: channels), &reason)
        }
    }
}

extension PipeWireNode.Counts {
    fileprivate mutating func add(_ counts: greenroom_pipewire_counts) {
        silent += counts.silent
        dropped += counts.dropped
    }
}

extension PluginError {
    /// PipeWire is not there, for a reason.
    fileprivate static func noPipeWire(_ reason: String) -> PluginError {
        // The folder in which PipeWire's library looks.
        let folder = (getenv("PIPEWIRE_RUNTIME_DIR") ?? getenv("XDG_RUNTIME_DIR"))
            .map { String(cString: $0) }
        let socket = getenv("PIPEWIRE_REMOTE").map { String(cString: $0) } ?? "pipewire-0"
        guard let folder else {
            return PluginError(
                "no PipeWire: XDG_RUNTIME_DIR is not set. Run the session as the user of a "
                    + "desktop, or start PipeWire and set it", status: .unavailable)
        }
        return PluginError(
            "\(folder)/\(socket): no PipeWire: \(reason). Start it (systemctl --user start pipewire "
                + "wireplumber), and run the session as the same user, this plugin without a sandbox",
            status: .unavailable)
    }
}

extension greenroom_pipewire_reason {
    var string: String {
        withUnsafeBytes(of: text) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
