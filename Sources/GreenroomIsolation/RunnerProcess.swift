import CLinux
import Glibc
import GreenroomABI
import GreenroomIPC
import GreenroomRuntime
import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomSandbox
import Synchronization

/// A runner, from its start to its end, and the threads that make its calls.
///
/// Threads: ``call(_:_:)`` on the control thread, ``process(_:)`` on the media thread, the rest on
/// any.
final class RunnerProcess: Sendable {
    private struct State {
        /// Its end is wanted: that is no loss.
        var isEnding = false
        /// It has a thread that answers pings.
        var isConfined = false
        /// It has sent where refusals are told.
        var hasHeardOfRefusals = false
        var sandbox: SandboxReport?
        var sender: UInt64 = 0
        /// It was told that the plugin calls a sender that is not there.
        var hasCalledDeadSender = false
        /// Channels that threads of the plugin use.
        var open: Set<Int> = []
        var evidence: String?
        /// The last lines that it wrote, oldest first.
        var stderrTail: [String] = []
        /// Lines that it has written so far.
        var lines = 0
        /// It is stopped on purpose: that it does not answer is no fault.
        var isHeld = false
        /// The number of the last ping, and of the last one that was answered.
        var pings: UInt32 = 0
        var pongs: UInt32 = 0
    }

    let process: pid_t
    let confinement: Confinement
    let place: InstanceContext
    let channels: Channels
    let frames: SharedMemory?
    /// Watches the instance; nil in a session.
    let observer: (any InstanceObserver)?
    /// nil for a process that the host did not start: it stays as it is.
    private let policy: SandboxPolicy?
    private let socket: ControlSocket
    /// Set for a process that the host did not start, and does not end: whom to tell that it has
    /// left.
    private let leave: (@Sendable () -> Void)?
    /// The runner whose process this instance is hosted in beside another one.
    private let first: RunnerProcess?
    private let pidfd: Int32
    private let output: Int32
    private let state = Mutex(State())
    private let hasEnded = Monitor(false)
    /// Frames that it has sent so far, whatever became of them.
    private let frameCount = Atomic(0)
    /// Calls that it has made so far.
    private let callCount = Atomic(0)

    /// Starts a runner.
    ///
    /// - Throws: ``ChannelError`` if there is no program, or no memory for it.
    init(
        _ confinement: Confinement, library: String, frames: SharedMemory?, place: InstanceContext
    ) throws(ChannelError) {
        channels = try Channels()
        observer = nil
        self.confinement = confinement
        policy = SandboxPolicy(confinement, library: library)
        self.frames = frames
        self.place = place
        let child = try ChildProcess(
            spawning: confinement.program, [String(getpid())], preloading: confinement.preload)
        process = child.process
        socket = ControlSocket(adopting: child.socket)
        leave = nil
        first = nil
        pidfd = child.pidfd
        output = child.output
        welcome()
    }

    /// Takes over a process that has connected.
    ///
    /// - Parameters:
    ///   - confinement: What it is held to.
    ///   - leave: Called once it has left.
    /// - Throws: ``ChannelError`` if there is no memory for it.
    init(
        _ pendingPeer: PendingPeer, _ confinement: Confinement, frames: SharedMemory?,
        place: InstanceContext, leave: @escaping @Sendable () -> Void
    ) throws(ChannelError) {
        channels = try Channels()
        observer = nil
        self.confinement = confinement
        self.frames = frames
        self.place = place
        self.leave = leave
        first = nil
        policy = nil
        process = pendingPeer.process
        socket = try pendingPeer.socket.copy()
        pidfd = process > 0 ? greenroom_pidfd(process) : -1
        output = -1
        welcome()
    }

    /// Has another instance hosted in the process of a first one, which ends the process.
    ///
    /// - Throws: ``ChannelError`` if there is no memory for it.
    init(
        beside first: RunnerProcess, frames: SharedMemory?, place: InstanceContext,
        observer: (any InstanceObserver)?
    ) throws(ChannelError) {
        channels = try Channels()
        self.observer = observer
        confinement = first.confinement
        self.frames = frames
        self.place = place
        leave = {}
        self.first = first
        policy = nil
        process = first.process
        let pair = try ControlSocket.pair()
        first.socket.send(.another, descriptors: [pair.runner])
        close(pair.runner)
        socket = ControlSocket(adopting: pair.host)
        pidfd = greenroom_pidfd(process)
        output = -1
        welcome()
    }

    private func welcome() {
        let descriptors = [channels.memory.descriptor] + (frames.map { [$0.descriptor] } ?? [])
        socket.send(.welcome, UInt32(place.frameLimit), descriptors: descriptors)
        _ = HostThread(name: "watch \(place.role)") { [self] in watch() }
    }

    deinit {
        close(pidfd)
        close(output)
    }

    // MARK: Calls

    /// Calls the plugin. [control]
    ///
    /// - Returns: What it answered; nil if it is lost.
    func call(_ call: Call, _ message: WireWriter) -> WireReader? {
        let channel = channels[Channels.control]
        guard let length = message.put(into: channel) else { return nil }
        let answered = channel.call(call, length: length) { serve($0, $1, channel) }
        guard let answered else {
            lose(because: "its process broke the rules of its channel")
            return nil
        }
        return WireReader(channel, length: answered)
    }

    /// Has the plugin edit a frame that lies in the frames' memory. [media]
    func process(_ frame: gr_mutable_frame) -> Status {
        guard let frames else { return .gone }
        let channel = channels[Channels.media]
        channel.write(frame, at: MessageLayout.subject)
        channel.write(
            SharedPlanes(of: frame, in: frames),
            at: MessageLayout.subject + MemoryLayout<gr_mutable_frame>.stride)
        let answered = channel.call(.process, length: MessageLayout.samples) {
            serve($0, $1, channel)
        }
        guard let answered else { return .gone }
        observer?.didProcess(on: channel, length: answered)
        return Status(rawValue: channel.read())
    }

    /// Makes a sender the plugin's own: of all others it knows nothing.
    func hands(over sender: UInt64) { state.withLock { $0.sender = sender } }

    private func serve(_ call: Call, _ length: Int, _ channel: Channel) -> Int? {
        callCount.add(1, ordering: .relaxed)
        return HostService(runner: self, channel: channel).serve(call, length)
    }

    var sender: UInt64 { state.withLock { $0.sender } }

    // MARK: The beginning

    /// Has the runner go into its sandbox, if it is to be in one. [control]
    func enterSandbox() throws(LoadError) {
        let answer = try beginToTalk()
        guard policy != nil else {
            state.withLock { $0.isConfined = true }
            return
        }
        switch Self.readReport(answer) {
        case .success(let report):
            state.withLock {
                $0.isConfined = true
                $0.sandbox = report
            }
            for note in report.notes { place.log(.warning, note) }
        case .failure(let refusal):
            throw LoadError(
                code: .noRunner, place: confinement.program, explanation: refusal.text + ".")
        case nil: throw garbage(confinement.program)
        }
    }

    /// Makes sure that both sides are of one version.
    ///
    /// - Returns: What the runner says beyond that.
    private func beginToTalk() throws(LoadError) -> WireReader {
        var message = WireWriter()
        message.write(GreenroomProtocol.version)
        policy?.write(to: &message)
        guard var answer = call(.confine, message) else {
            throw lossWhileMade(confinement.program)
        }
        guard let version = try? answer.read(UInt32.self), version == GreenroomProtocol.version
        else {
            throw LoadError(
                code: .noRunner, place: confinement.program,
                explanation: "it is of another version than this program. Install both anew.")
        }
        return answer
    }

    private struct NoSandbox: Error { var text: String }

    private static func readReport(
        _ answer: WireReader
    ) -> Result<SandboxReport, NoSandbox>? {
        var answer = answer
        do throws(WireReader.Problem) {
            guard try answer.readBool() else {
                return .failure(NoSandbox(text: try answer.readString()))
            }
            return .success(try SandboxReport(from: &answer))
        } catch {
            return nil
        }
    }

    /// What there is of the sandbox; nil before it has been entered.
    var sandbox: SandboxReport? { state.withLock { $0.sandbox } }

    /// Has the runner load a library. [control]
    ///
    /// - Returns: What it says of itself.
    func load(_ path: String) throws(LoadError) -> LibraryDescription {
        var message = WireWriter()
        message.write(path)
        guard let answer = call(.load, message) else { throw lossWhileMade(path) }
        switch Self.read(answer, path) {
        case .success(let library): return library
        case .failure(var error):
            // Of which file it tells is not the runner's to say.
            error.place = path
            throw error
        case nil: throw garbage(path)
        }
    }

    private static func read(
        _ answer: WireReader, _ path: String
    ) -> Result<LibraryDescription, LoadError>? {
        var answer = answer
        do throws(WireReader.Problem) {
            guard try answer.readBool() else { return .failure(try answer.readLoadError()) }
            return .success(try answer.readLibrary(at: path))
        } catch {
            return nil
        }
    }

    /// Why it could not be made, once its process is lost.
    func lossWhileMade(_ path: String) -> LoadError {
        LoadError(
            code: .crashes, place: path,
            explanation: state.withLock { $0.evidence } ?? "its process has ended")
    }

    func garbage(_ path: String) -> LoadError {
        lose(because: "its process answered with something that is no answer")
        return lossWhileMade(path)
    }

    // MARK: The end

    /// What a thread of it touched that killed it; nil if it did not tell.
    var fault: MemoryFault? {
        CrashReport.fault(in: state.withLock { $0.stderrTail })
    }

    /// Lets the process end by itself, or ends it. [control]
    func end() {
        state.withLock { $0.isEnding = true }
        socket.send(.end)
        let ended: Void? = hasEnded.wait(until: MonotonicClock.deadline(after: 1_000_000_000)) {
            $0 ? () : nil
        }
        if ended == nil { kill() }
    }

    /// Ends the process, which may tell first where it is. [any]
    ///
    /// - Returns: The innermost function first; nil if it did not tell.
    func endTellingWhere() -> String? {
        state.withLock { $0.isEnding = true }
        greenroom_pidfd_kill(pidfd, SIGABRT)
        _ = hasEnded.wait(until: MonotonicClock.deadline(after: 500_000_000)) { $0 ? () : nil }
        kill()
        return CrashReport.backtrace(in: state.withLock { $0.stderrTail })
    }

    /// Ends the process at once, or the connection to one that is not the host's. [any]
    func kill() {
        state.withLock { $0.isEnding = true }
        if leave == nil {
            greenroom_pidfd_kill(pidfd, SIGKILL)
        } else {
            shutdown(socket.descriptor, Int32(SHUT_RDWR))
        }
        channels.lose()
    }

    /// Stops all of the process by a signal, or lets it go on, for whoever wants to know what it
    /// makes of that. [any]
    func hold(_ isHeld: Bool) {
        // It is not missed a moment before it stops, and has a moment to answer after.
        if isHeld { state.withLock { $0.isHeld = true } }
        greenroom_pidfd_kill(pidfd, isHeld ? SIGSTOP : SIGCONT)
        if !isHeld { state.withLock { $0.isHeld = false } }
    }

    private var isHeld: Bool { state.withLock { $0.isHeld } || first?.isHeld == true }

    /// Gives the process up. [any]
    func lose(because evidence: String) {
        let isNews = state.withLock { state in
            guard !state.isEnding, state.evidence == nil else { return false }
            state.evidence = evidence
            return true
        }
        // Told first: whoever waits for the plugin finds that it is lost.
        if isNews { place.lose(evidence) }
        kill()
    }

    // MARK: Watching

    /// How often the process is looked at, in milliseconds, if it does nothing.
    private static let glanceMilliseconds: Int32 = 100

    private func watch() {
        var lines = LineReader()
        var notifier: SandboxNotifier?
        var processWatchdog = ProcessWatchdog(memoryLimitBytes: confinement.plan.memoryLimitBytes)
        var looked = MonotonicClock.now
        var hasHungUp = false
        while true {
            var descriptors = [
                pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: lines.hasEnded ? -1 : output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: hasHungUp ? -1 : socket.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: notifier?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&descriptors, nfds_t(descriptors.count), Self.glanceMilliseconds)
            if descriptors[1].revents != 0 { readOutput(&lines) }
            let hasLeft = descriptors[2].revents != 0 && !readSocket(&notifier)
            // A process of the host's own that has closed its end answers no ping.
            hasHungUp = hasHungUp || hasLeft
            if descriptors[3].revents != 0 { answerRefusals(&notifier) }
            if let evidence = leave == nil
                ? evidenceOfExit(&lines) : evidenceOfLeave(hasLeft, descriptors[0].revents != 0)
            {
                lose(because: evidence)
                leave?()
                hasEnded.change { $0 = true }
                return
            }
            let now = MonotonicClock.now
            guard now - looked >= Int64(Self.glanceMilliseconds) * 1_000_000 else { continue }
            look(&processWatchdog, after: now - looked)
            looked = now
        }
    }

    /// How the process has ended; nil while it lives.
    private func evidenceOfExit(_ lines: inout LineReader) -> String? {
        var (code, status): (Int32, Int32) = (0, 0)
        guard greenroom_reap(process, &code, &status) != 0 else { return nil }
        readOutput(&lines)
        let evidence = CrashReport(
            code: code, status: status, whereabouts: place.whereabouts(),
            stderrTail: state.withLock { $0.stderrTail })
        return evidence.text
    }

    /// How a process that is not the host's has left; nil while it is connected.
    private func evidenceOfLeave(_ hasLeft: Bool, _ isOver: Bool) -> String? {
        guard hasLeft || isOver else { return nil }
        let place = place.whereabouts().map { " \($0)" } ?? ""
        return isOver
            ? "its process has ended\(place) without finishing"
            : "it has disconnected\(place) without finishing"
    }

    /// Looks whether the process behaves, and asks whether it is there.
    private func look(_ processWatchdog: inout ProcessWatchdog, after nanoseconds: Int64) {
        let status = ProcessStatus(of: process)
        // One that has ended is no news here; one that can't be seen from here is asked all the same.
        guard status != nil || process == 0 else { return }
        // How much memory somebody else's process has is no business of the host.
        let isGuarded = leave == nil
        let (hasAnswered, lines) = state.withLock { ($0.pongs == $0.pings, $0.lines) }
        let sight = ProcessWatchdog.Sample(
            hasAnswered: hasAnswered || isHeld,
            memoryBytes: isGuarded ? memoryBytes(status) : 0,
            isHeadless: isGuarded && status?.isHeadless ?? false,
            threads: isGuarded ? status?.threads ?? 1 : 1,
            calls: place.hasVirtualClock ? 0 : callCount.load(ordering: .relaxed),
            frames: frameCount.load(ordering: .relaxed), lines: lines,
            rate: place.hasVirtualClock ? 0 : place.agreedRate() ?? 0)
        if let finding = processWatchdog.look(sight, after: nanoseconds) {
            lose(because: finding.text(isStopped: status?.isStopped ?? false))
        }
        guard hasAnswered, state.withLock({ $0.isConfined }) else { return }
        let ping = state.withLock { state in
            state.pings &+= 1
            return state.pings
        }
        socket.send(.ping, ping)
    }

    /// The process's memory but for what it was lent.
    private func memoryBytes(_ status: ProcessStatus?) -> Int {
        guard let status else { return 0 }
        let shared = channels.memory.heldByteCount + (frames?.heldByteCount ?? 0)
        return status.privateBytes
            + max(
                0, max(status.sharedBytes, shared) - place.lentBytes() - channels.memory.byteCount)
    }

    /// Counts a frame that the plugin sends.
    func countFrame() { frameCount.add(1, ordering: .relaxed) }

    /// Says once that the plugin calls a sender that is not there.
    func tellOfDeadSender() {
        let isNews = state.withLock { state in
            defer { state.hasCalledDeadSender = true }
            return !state.isEnding && !state.hasCalledDeadSender
        }
        guard isNews else { return }
        place.log(
            .warning,
            "it calls a sender that has ended, or that never was, and gets GR_STATUS_GONE. End the "
                + "sending thread before stop_send returns.")
    }

    /// Counts a line that the plugin writes.
    func countLine() { state.withLock { $0.lines += 1 } }

    /// Tells which grants are missing.
    private func answerRefusals(_ notifier: inout SandboxNotifier?) {
        switch notifier?.handleOne() {
        case .refused(let refusal): place.log(.warning, refusal.text)
        case .ended: notifier = nil
        case .nothing, .answered, nil: break
        }
    }

    /// - Returns: Whether the other side is connected still.
    private func readSocket(_ notifier: inout SandboxNotifier?) -> Bool {
        switch socket.receive(waits: false) {
        case .message(var message):
            // The first is the runner's, sent before the plugin was loaded, though this thread may
            // read it later than that; any other would be the plugin's.
            let isExpected =
                message.kind == .refusals
                && state.withLock { state in
                    defer { state.hasHeardOfRefusals = true }
                    return !state.hasHeardOfRefusals
                }
            if isExpected, let policy, policy.mode != .off, let first = message.descriptors.first {
                message.descriptors.removeFirst()
                notifier = SandboxNotifier(
                    descriptor: first, process: process, policy: policy,
                    report: Sandbox.available)
            }
            ControlSocket.discard(message.descriptors)
            if message.kind == .pong { state.withLock { $0.pongs = message.value } }
            guard message.kind == .open,
                (Channels.firstOfPlugin..<Channels.count).contains(Int(message.value))
            else { return true }
            let index = Int(message.value)
            guard state.withLock({ $0.open.insert(index).inserted }) else {
                lose(because: "its process opened a channel twice")
                return true
            }
            serve(index)
        case .nothing: break
        case .end: return false
        case .garbage: lose(because: "its process sent something that is no message")
        }
        return true
    }

    /// Makes the calls of a thread of the plugin.
    private func serve(_ index: Int) {
        let channel = channels[index]
        _ = HostThread(name: place.role) { [self] in
            while let (call, length) = channel.take() {
                if call == .leave {
                    HostThread.leaveClock()
                    state.withLock { _ = $0.open.remove(index) }
                    channel.pass(.return)
                    return
                }
                guard let answer = serve(call, length, channel) else {
                    lose(because: "its process broke the rules of its channel")
                    return
                }
                channel.pass(.return, length: answer)
            }
        }
    }

    private func readOutput(_ lines: inout LineReader) {
        let count = lines.read(output) { line in
            let isLastWord = state.withLock { state in
                state.stderrTail.append(line)
                if state.stderrTail.count > 100 { state.stderrTail.removeFirst() }
                return state.stderrTail.contains(where: CrashReport.isHeading)
            }
            // A backtrace is told with the loss.
            if !isLastWord { place.log(.info, line) }
        }
        state.withLock { $0.lines += count }
    }
}
