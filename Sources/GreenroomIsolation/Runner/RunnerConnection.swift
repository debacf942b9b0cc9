import GreenroomModel
import Glibc
import GreenroomABI
import GreenroomConversion
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo
import GreenroomLifecycle
import Synchronization

/// The host's end of the connection to a runner: the socket, the channels, and the threads that
/// serve the plugin's calls. Every ``RunnerProcess`` has one.
///
/// Threads: ``call(_:_:)`` runs on the control thread. Functions for frames to edit or take run on
/// one media thread at a time. All other functions may run on any thread.
final class RunnerConnection: Sendable {
    private enum Phase {
        case running
        /// This host is ending the process, so its exit is no loss.
        case ending
        case lost(evidence: String)
    }

    private struct State {
        var phase = Phase.running
        /// The sender that the plugin may use.
        var sender: UInt64 = 0
        /// The senders of a call's tracks.
        var trackSenders: [UInt64] = []
        /// Whether the warning about an ended sender is logged.
        var hasWarnedOfDeadSender = false
        var loans = MemoryLoans()
        /// The channels that the plugin's own threads use.
        var openChannels: Set<Int> = []
        /// Whether the runner's watch thread runs.
        var answersPings = false
        var lastPing: UInt32 = 0
        var lastPong: UInt32 = 0
        /// Whether the process has closed its end of the socket and so answers no pings.
        var hasClosed = false
    }

    let context: InstanceContext
    let channels: Channels
    /// The memory of the frames that the plugin sends or edits; nil if none.
    let frames: SharedMemory?
    /// The observer of the instance; nil in a session.
    let observer: (any InstanceObserver)?
    private let socket: ControlSocket
    /// The runner's process; nil if the host did not start it.
    private let process: pid_t?
    private let terminate: @Sendable (borrowing ControlSocket) -> Void
    private let state = Mutex(State())
    private let hasEnded = Monitor(false)
    /// Totals since the start: frames sent, accepted or not, calls and lines.
    private let frameCount = Atomic(0)
    private let callCount = Atomic(0)
    private let lineCount = Atomic(0)
    /// The number of the last descriptor that was sent.
    private let lastDescriptor = Atomic<UInt32>(0)
    /// The time at which the plugin last called, took media or edited media.
    private let lastMessage = Atomic<Int64>(0)

    /// Sends the channels and the frames' memory to the runner.
    ///
    /// - Parameters:
    ///   - socket: The socket to the runner.
    ///   - process: The runner's process; nil if the host did not start it.
    ///   - terminate: Kills the process, or closes the connection, immediately. Called on any
    ///     thread, possibly more than once.
    init(
        _ socket: consuming ControlSocket, _ channels: Channels, frames: SharedMemory?,
        of process: pid_t? = nil, context: InstanceContext,
        observer: (any InstanceObserver)? = nil,
        terminate: @escaping @Sendable (borrowing ControlSocket) -> Void
    ) {
        self.socket = socket
        self.process = process
        self.channels = channels
        self.frames = frames
        self.context = context
        self.observer = observer
        self.terminate = terminate
        let descriptors =
            [channels.memory.descriptor] + (frames.map { [$0.descriptor] } ?? [])
        self.socket.send(.setup, descriptors: descriptors)
    }

    /// The socket's descriptor, for polling.
    var socketDescriptor: Int32 { socket.descriptor }

    // MARK: Calls of the host

    /// Calls the plugin. [control]
    ///
    /// - Returns: The plugin's answer; nil if its process is lost.
    func call(_ call: RemoteCall, _ message: WireWriter) -> WireReader? {
        let channel = channels[Channels.control]
        guard let length = message.put(into: channel) else { return nil }
        let answered = channel.call(call, length: length) { serve($0, $1, channel) }
        guard let answered else {
            lose(because: "the process violated the channel protocol")
            return nil
        }
        return WireReader(channel, length: answered)
    }

    /// Calls a function of the plugin. [control]
    func perform(_ call: PluginCall) -> PluginReply {
        if case .initialize(let sender, _) = call { self.sender = sender }
        var message = WireWriter()
        message.write(call)
        guard var answer = self.call(.plugin, message) else { return PluginReply(to: call, .gone) }
        guard let reply = try? answer.readNumbers(PluginReply.self) else {
            loseForInvalidAnswer()
            return PluginReply(to: call, .gone)
        }
        return reply
    }

    /// Calls the plugin to edit a frame in ``frames``. [media]
    func process(_ frame: gr_mutable_frame) -> Status {
        guard let frames else { return .gone }
        let channel = channels[Channels.media]
        var described = frame
        described.clearAddresses()
        channel.write(described, at: MessageLayout.subject)
        channel.write(SharedPlanes(of: frame, in: frames), at: MessageLayout.editedPlanes)
        guard let length = callMedia(.process, length: MessageLayout.edit, on: channel) else {
            return .gone
        }
        observer?.didProcess(on: channel, length: length)
        guard length > 0 else {
            loseForInvalidAnswer()
            return .gone
        }
        let status: gr_status = channel.read()
        return Status(rawValue: status)
    }

    /// Passes a frame to the plugin. [media]
    ///
    /// - Parameter memory: The memory that contains the frame. The plugin cannot write to it.
    /// - Returns: The plugin's status; nil if its process could not map the memory, so that the
    ///   plugin was not called.
    func take(_ frame: gr_output_frame, in memory: SharedMemory) -> Status? {
        guard memory.writers == .maker, lend(memory) else { return nil }
        let channel = channels[Channels.media]
        var described = frame
        described.frame.planes.0.data = nil
        described.frame.planes.1.data = nil
        described.frame.planes.2.data = nil
        channel.write(described, at: MessageLayout.subject)
        channel.write(
            SharedPlanes(of: frame.frame, in: memory),
            at: MessageLayout.subject + MemoryLayout<gr_output_frame>.stride)
        channel.write(memory.number, at: MessageLayout.memory)
        let (status, isMapped) = pass(.takeFrame, length: MessageLayout.samples, on: channel)
        guard isMapped else {
            state.withLock { $0.loans.fail(memory) }
            return nil
        }
        return status
    }

    /// Asks the runner to map memory, unless it was asked before.
    ///
    /// - Returns: Whether the runner has the memory or will receive it.
    private func lend(_ memory: SharedMemory) -> Bool {
        if state.withLock({ $0.loans.contains(memory) }) { return true }
        // Other outputs can also delay unmapping. Refuse above the limit of unmapped bytes.
        guard endedByteCount <= FramePool.ordinaryByteLimit else { return false }
        let isSent = socket.send(.addMemory, memory.number, descriptors: [memory.descriptor])
        guard isSent else { return false }
        state.withLock { $0.loans.add(memory) }
        return true
    }

    /// Asks the runner to unmap memory without frames. Called by the watch thread.
    private func unlend() {
        let ended = state.withLock { $0.loans.ended }
        // If a request cannot be sent, the next ping sends it again.
        for number in ended where socket.send(.removeMemory, number) {
            state.withLock { $0.loans.unmap(number, by: $0.lastPing &+ 1) }
        }
    }

    /// Removes the loans of memory that the runner had unmapped when it answered a ping, unless the
    /// process still holds the memory. Called by the watch thread.
    private func forgetUnmapped(at ping: UInt32) {
        guard let files = state.withLock({ $0.loans.files(unmappedBy: ping) }) else { return }
        let held = process.map { MemoryFile.held(files, by: $0) } ?? []
        let before = endedByteCount
        state.withLock { $0.loans.forget(unmappedBy: ping, but: held) }
        let limit = PluginInstance.endedByteLimit
        if before > limit, endedByteCount <= limit { context.wake() }
    }

    /// Bytes of memory without frames that the runner's process still has.
    var endedByteCount: Int {
        let loans = state.withLock { $0.loans.memory }
        return loans.reduce(0) { $0 + ($1.memory == nil ? $1.byteCount : 0) }
    }

    /// Bytes of other plugins' memory that the runner has mapped or not yet unmapped.
    var lentByteCount: Int {
        let loans = state.withLock { $0.loans.memory }
        return loans.reduce(0) { $0 + ($1.memory?.heldByteCount ?? $1.byteCount) }
    }

    /// Passes a block of audio to the plugin. [media]
    func take(_ block: gr_output_block) -> Status {
        let channel = channels[Channels.media]
        var described = block
        described.block.samples = nil
        channel.write(described, at: MessageLayout.subject)
        let written = channel.write(
            UnsafeRawBufferPointer(
                start: block.block.samples, count: Int(clamping: block.block.size_bytes)),
            at: MessageLayout.samples)
        return pass(.takeBlock, length: MessageLayout.samples + written, on: channel).status
    }

    /// Calls the plugin to edit a block of audio, in the caller's memory. [media]
    func edit(_ block: gr_audio_edit) -> Status {
        let channel = channels[Channels.media]
        let byteCount = Int(block.channels) * Int(block.frame_count) * 2
        channel.write(
            AudioEditMessage(
                channels: block.channels, hasReference: block.reference != nil,
                ptsNanoseconds: block.pts_ns),
            at: MessageLayout.subject)
        _ = channel.write(
            UnsafeRawBufferPointer(start: block.samples, count: byteCount),
            at: MessageLayout.samples)
        if let reference = block.reference {
            _ = channel.write(
                UnsafeRawBufferPointer(start: reference, count: byteCount),
                at: MessageLayout.samples + byteCount)
        }
        let length = MessageLayout.samples + 2 * byteCount
        guard let answered = callMedia(.editAudio, length: length, on: channel) else {
            return .gone
        }
        let status = Status(rawValue: channel.read())
        guard status == .ok else { return status }
        guard answered == MessageLayout.samples + byteCount else {
            loseForInvalidAnswer()
            return .gone
        }
        UnsafeMutableRawBufferPointer(start: block.samples, count: byteCount).copyMemory(
            from: UnsafeRawBufferPointer(
                rebasing: channel.message[MessageLayout.samples..<answered]))
        return .ok
    }

    /// Calls the plugin with media, through the observer if any.
    ///
    /// - Returns: The plugin's status, and whether its process mapped the memory and the plugin was
    ///   called.
    private func pass(
        _ call: RemoteCall, length: Int, on channel: Channel
    ) -> (status: Status, isMapped: Bool) {
        guard let observer else { return passOn(call, length: length, on: channel) }
        var isMapped = true
        let status = observer.take(call, on: channel) {
            let answer = passOn(call, length: length, on: channel)
            isMapped = answer.isMapped
            return answer.status
        }
        return (status, isMapped)
    }

    /// Calls the plugin with media, without an observer and without allocating.
    private func passOn(
        _ call: RemoteCall, length: Int, on channel: Channel
    ) -> (status: Status, isMapped: Bool) {
        guard let answered = callMedia(call, length: length, on: channel) else {
            return (.gone, true)
        }
        // An empty answer has no status.
        let isMapped = answered > 0
        return (isMapped ? Status(rawValue: channel.read()) : .noBuffer, isMapped)
    }

    /// Calls the plugin with media, and serves its calls until it returns. [media]
    ///
    /// - Returns: The length of the plugin's answer; nil if its process is lost.
    private func callMedia(_ call: RemoteCall, length: Int, on channel: Channel) -> Int? {
        let answered = channel.call(call, length: length) { serve($0, $1, channel) }
        guard let answered else {
            lose(because: "the process violated the channel protocol")
            return nil
        }
        noteMessage()
        return answered
    }

    // MARK: Calls of the plugin

    /// The plugin's sender. Besides the senders of its tracks, the plugin may use no other.
    var sender: UInt64 {
        get { state.withLock { $0.sender } }
        set { state.withLock { $0.sender = newValue } }
    }

    /// Allows the plugin to use the sender of a track that it has opened.
    func add(trackSender: UInt64) {
        state.withLock { state in
            // The senders of tracks that were closed meanwhile have ended.
            state.trackSenders.removeAll { !HostCalls.isSender($0) }
            state.trackSenders.append(trackSender)
        }
    }

    /// Whether the plugin may use a sender.
    func mayUse(_ sender: UInt64) -> Bool {
        state.withLock { $0.sender == sender || $0.trackSenders.contains(sender) }
    }

    private func serve(_ call: RemoteCall, _ length: Int, _ channel: Channel) -> Int? {
        callCount.add(1, ordering: .relaxed)
        noteMessage()
        return HostService(connection: self, channel: channel).serve(call, length)
    }

    /// Serves a thread of the plugin, on a new host thread, until the plugin's thread ends.
    private func serveThread(of index: Int) {
        let channel = channels[index]
        _ = HostThread(name: context.role) { [self] in
            while let (call, length) = channel.receive() {
                if call == .leave {
                    HostThread.leaveClock()
                    state.withLock { _ = $0.openChannels.remove(index) }
                    channel.send(.return)
                    return
                }
                guard let answer = serve(call, length, channel) else {
                    lose(because: "the process violated the channel protocol")
                    return
                }
                channel.send(.return, length: answer)
            }
        }
    }

    func countFrame() { frameCount.add(1, ordering: .relaxed) }
    func countLines(_ count: Int) { lineCount.add(count, ordering: .relaxed) }

    /// Warns once that the plugin uses an ended sender.
    func warnOfDeadSender() {
        let isNew = state.withLock { state in
            defer { state.hasWarnedOfDeadSender = true }
            guard case .running = state.phase else { return false }
            return !state.hasWarnedOfDeadSender
        }
        guard isNew else { return }
        context.log(
            .warning,
            "uses an ended or unknown sender, and gets GR_STATUS_GONE. End the "
                + "sending thread before stop_send returns.")
    }

    /// Sends the plugin's process a descriptor.
    ///
    /// - Returns: The descriptor's number for the answer; nil if it could not be sent.
    func handOver(_ descriptor: Int32) -> UInt32? {
        let number = lastDescriptor.wrappingAdd(1, ordering: .relaxed).newValue
        return socket.send(.descriptor, number, descriptors: [descriptor]) ? number : nil
    }

    // MARK: The socket

    /// An event of the socket.
    enum Event {
        /// The caller has nothing to handle.
        case none
        /// The descriptor of the sandbox's notifications. The receiver closes it.
        case sandboxNotifier(Int32)
        case disconnected
    }

    /// Reads a message if available. Called by the watch thread.
    func receive() -> Event {
        switch socket.receive(waits: false) {
        case .nothing: return .none
        case .end:
            state.withLock { $0.hasClosed = true }
            return .disconnected
        case .garbage: lose(because: "the process sent an invalid message")
        case .message(let message):
            if message.kind == .sandboxNotifier, let descriptor = message.descriptors.first {
                ControlSocket.discard(Array(message.descriptors.dropFirst()))
                return .sandboxNotifier(descriptor)
            }
            ControlSocket.discard(message.descriptors)
            if message.kind == .pong {
                state.withLock { $0.lastPong = message.value }
                forgetUnmapped(at: message.value)
            }
            if message.kind == .openChannel { openChannel(Int(message.value)) }
        }
        return .none
    }

    private func openChannel(_ index: Int) {
        guard (Channels.firstOfPlugin..<Channels.count).contains(index) else { return }
        guard state.withLock({ $0.openChannels.insert(index).inserted }) else {
            return lose(because: "the process opened a channel twice")
        }
        serveThread(of: index)
    }

    /// Starts another instance of the library in the runner.
    ///
    /// - Returns: The socket to the instance's runner.
    func addInstance() throws(ChannelError) -> ControlSocket {
        let pair = try ControlSocket.pair()
        socket.send(.addInstance, descriptors: [pair.runner])
        close(pair.runner)
        return ControlSocket(adopting: pair.host)
    }

    // MARK: The watchdog

    /// Enables pings, because the runner's watch thread now runs and answers them.
    func expectPongs() { state.withLock { $0.answersPings = true } }

    /// The time after a message for which a plugin counts as active, in nanoseconds.
    private static let activeTime: Int64 = 500_000_000

    private func noteMessage() { lastMessage.store(context.clock.now, ordering: .relaxed) }

    /// Whether the plugin has recently called, taken media or edited media, so that its process
    /// must be running.
    var isActive: Bool {
        context.clock.now - lastMessage.load(ordering: .relaxed) < Self.activeTime
    }

    /// Sends a ping unless the last ping is unanswered. Also skips an active plugin that neither
    /// unmaps memory nor has closed its socket. Called by the watch thread.
    func ping() {
        unlend()
        let isActive = isActive
        let number: UInt32? = state.withLock { state in
            guard state.answersPings, state.lastPong == state.lastPing,
                !isActive || state.loans.awaitsPong || state.hasClosed
            else { return nil }
            state.lastPing &+= 1
            return state.lastPing
        }
        if let number { socket.send(.ping, number) }
    }

    /// Measurements of the process, without its memory. On a virtual clock `calls` and `rate` are
    /// 0, because rates have no meaning there.
    var sample: ProcessWatchdog.Sample {
        ProcessWatchdog.Sample(
            hasAnswered: state.withLock { $0.lastPong == $0.lastPing }, memoryBytes: 0,
            calls: context.hasVirtualClock ? 0 : callCount.load(ordering: .relaxed),
            frames: frameCount.load(ordering: .relaxed),
            lines: lineCount.load(ordering: .relaxed),
            rate: context.hasVirtualClock ? 0 : context.agreedRate() ?? 0)
    }

    // MARK: The end

    /// The reason that the process is lost; nil if it is not.
    var evidence: String? {
        state.withLock { if case .lost(let evidence) = $0.phase { evidence } else { nil } }
    }

    /// Whether this host is ending the process.
    var isEnding: Bool {
        state.withLock { if case .ending = $0.phase { true } else { false } }
    }

    /// Records the loss of the process, unless this host is ending it, and kills the process. [any]
    func lose(because evidence: String) {
        let isNew = state.withLock { state in
            guard case .running = state.phase else { return false }
            state.phase = .lost(evidence: evidence)
            return true
        }
        // Report the loss first: a thread woken by `kill()` must find the plugin lost.
        if isNew { context.lose(evidence) }
        kill()
    }

    /// Marks the process as ending, so that its exit is expected. [any]
    func beginEnding() {
        state.withLock { if case .running = $0.phase { $0.phase = .ending } }
    }

    /// Kills the process, or disconnects from a process that the host did not start. Running calls
    /// return. [any]
    func kill() {
        beginEnding()
        terminate(socket)
        channels.lose()
    }

    /// Asks the runner to end, and kills it after a timeout. [control]
    func end() {
        beginEnding()
        socket.send(.end)
        if !waitForEnd(nanoseconds: 1_000_000_000) { kill() }
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: Whether the process ended in time.
    func waitForEnd(nanoseconds: Int64) -> Bool {
        hasEnded.wait(until: context.clock.deadline(after: nanoseconds), on: context.clock) {
            $0 ? () : nil
        } != nil
    }

    /// Records that the process has ended or disconnected.
    func didEnd() { hasEnded.change { $0 = true } }
}
