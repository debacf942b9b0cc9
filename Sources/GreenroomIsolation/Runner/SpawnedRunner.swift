import GreenroomModel
import CLinux
import Glibc
import GreenroomIPC
import GreenroomPluginInterface
import GreenroomSandbox
import GreenroomRuntime
import GreenroomLifecycle
import GreenroomSystem
import Synchronization
import SystemPackage

/// A runner that this host starts, sandboxes, monitors, kills and reaps.
final class SpawnedRunner: RunnerProcess {
    let connection: RunnerConnection
    let process: ProcessHandle
    let confinement: Confinement
    private let policy: SandboxPolicy
    /// The folder for the plugin's temporary files, which is removed with the process; nil if it cannot be
    /// made.
    private let folder: ScratchFolder?
    /// The process's standard output and error.
    private let output: Int32
    let stderrTail = StderrTail()
    private let report = Mutex<SandboxReport?>(nil)
    /// The text of the newest refusal of the sandbox; nil if none.
    private let refusal = Mutex<String?>(nil)
    private let frozen = Atomic(false)
    /// The time at which a debugger was last seen attached, on the host clock; 0 if never.
    private let debugged = Atomic<Int64>(0)

    /// Starts a runner.
    ///
    /// - Parameter server: The server that forks the process; nil to start the program.
    /// - Throws: ``ChannelError`` if the program does not start or memory cannot be shared.
    init(
        _ confinement: Confinement, library: String, frames: SharedMemory?,
        context: InstanceContext, from server: RunnerServer? = nil
    ) throws(ChannelError) {
        let channels = try Channels()
        Sandbox.protectHost()
        var noFolder: String?
        do throws(Errno) {
            folder = try ScratchFolder("plugin")
        } catch {
            folder = nil
            noFolder =
                "no folder for temporary files: \(error); set TMPDIR to a folder that this user can write"
        }
        let child: ChildProcess
        if let server {
            child = try server.fork()
        } else {
            child = try ChildProcess(
                spawning: confinement.program,
                [String(getpid())]
                    + (confinement.interpreter.map { ["script"] + $0.command }
                        ?? (confinement.hasProbe ? ["probe"] : [])),
                preloading: confinement.preload,
                environment: confinement.interpreter.map {
                    $0.environment + (confinement.hasProbe ? ["GREENROOM_PROBE=1"] : [])
                } ?? [])
        }
        let process = ProcessHandle(child, of: server)
        ProcessorGroups.own?.add(process.id)
        self.process = process
        self.confinement = confinement
        var policy =
            server?.policy(of: library) ?? SandboxPolicy(confinement, library: library)
        policy.temporaryFolder = folder?.path
        self.policy = policy
        output = child.output
        connection = RunnerConnection(
            ControlSocket(adopting: child.socket), channels, frames: frames, of: process.id,
            context: context
        ) { _ in process.send(signal: SIGKILL) }
        if let noFolder { context.warnOnce(noFolder) }
        let watcher = HostThread(name: "watch \(context.role)") { [self] in watch() }
        guard let problem = watcher.problem else { return }
        // Kill the process: without the watch thread nothing reaps it.
        process.send(signal: SIGKILL)
        process.waitAndReap()
        connection.didEnd()
        throw ChannelError(problem)
    }

    deinit { close(output) }

    // MARK: The sandbox

    var sandbox: SandboxReport? { report.withLock { $0 } }

    func prepare() throws(LoadError) {
        var message = WireWriter()
        policy.write(to: &message)
        let answer = try connection.handshake(with: confinement.program, sending: message)
        guard let report = try readReport(answer)?.get() else {
            throw connection.invalidAnswer(during: confinement.program)
        }
        self.report.withLock { $0 = report }
        connection.expectPongs()
        for note in report.notes { connection.context.warnOnce(note) }
    }

    /// The report, or the process's error; nil if the answer is invalid.
    private func readReport(_ answer: WireReader) -> Result<SandboxReport, LoadError>? {
        var answer = answer
        do throws(WireError) {
            guard try answer.readBool() else {
                let refusal = try answer.readString()
                return .failure(
                    LoadError(
                        code: .noRunner, place: confinement.program, explanation: refusal + "."))
            }
            return .success(try SandboxReport(from: &answer))
        } catch {
            return nil
        }
    }

    // MARK: Signals

    /// The fatal memory access; nil if the process's output reports none.
    var fault: MemoryFault? { CrashReport.fault(in: stderrTail.lines) }

    /// The functions of the crash, innermost first; empty if the process's output has no backtrace.
    var crashFrames: [String] { CrashReport.frames(in: stderrTail.lines) }

    /// Ends the process after it has written a backtrace. [any]
    ///
    /// - Returns: The backtrace, innermost function first; nil if the process wrote none.
    func abortForBacktrace() -> String? {
        connection.beginEnding()
        process.send(signal: SIGABRT)
        _ = connection.waitForEnd(nanoseconds: 500_000_000)
        connection.kill()
        return CrashReport.backtrace(in: stderrTail.lines)
    }

    /// Whether the process is stopped intentionally and so need not answer.
    var isFrozen: Bool { frozen.load(ordering: .acquiring) }

    /// Stops the process with SIGSTOP. [any]
    func freeze() {
        frozen.store(true, ordering: .releasing)
        process.send(signal: SIGSTOP)
    }

    /// Continues the process. [any]
    func thaw() {
        process.send(signal: SIGCONT)
        frozen.store(false, ordering: .releasing)
    }

    // MARK: Debuggers

    /// The time for a callback to return after the debugger detaches, in nanoseconds.
    private static let debuggerGrace: Int64 = 3_000_000_000

    var isDebugged: Bool {
        let seen = debugged.load(ordering: .relaxed)
        return seen > 0 && connection.context.clock.now - seen < Self.debuggerGrace
    }

    var hindrance: String? {
        ProcessStatus(of: process.id)?.hindrance
            ?? refusal.withLock { $0 }.map { "Before that, \($0)" }
    }

    /// Records an attached debugger, and logs a newly attached one.
    private func look(for debugger: pid_t) {
        guard debugger != 0 else { return }
        if !isDebugged {
            let name = (try? FileDescriptor.contents(of: "/proc/\(debugger)/comm")).map {
                String(decoding: $0, as: UTF8.self).filter { !$0.isNewline }
            }
            connection.context.log(
                .info,
                "a debugger is attached (\(name.map { "\($0), " } ?? "")process \(debugger)): "
                    + "deadlines suspended until it detaches")
        }
        debugged.store(max(connection.context.clock.now, 1), ordering: .relaxed)
    }

    // MARK: The watch thread

    private func watch() {
        var lines = LineReader()
        var notifier: SandboxNotifier?
        var hasNotifier = false
        var isConnected = true
        var watch = RunnerWatch(
            connection, memoryLimitBytes: confinement.plan.memoryLimit.bytes)
        var processors = ProcessorWatch(of: process.id)
        // The pid cannot be reused until the process is reaped.
        var statusFile = StatusFile(of: process.id)
        while true {
            var descriptors = [
                pollfd(fd: process.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: lines.hasEnded ? -1 : output, events: Int16(POLLIN), revents: 0),
                pollfd(
                    fd: isConnected ? connection.socketDescriptor : -1, events: Int16(POLLIN),
                    revents: 0),
                pollfd(fd: notifier?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&descriptors, nfds_t(descriptors.count), watch.waitMilliseconds)
            if descriptors[1].revents != 0 { readOutput(&lines) }
            if descriptors[2].revents != 0 {
                switch connection.receive() {
                case .none: break
                // A process that closed its end of the socket answers no pings.
                case .disconnected: isConnected = false
                case .sandboxNotifier(let descriptor):
                    // Trust only the first message: the runner sent it before it loaded the plugin.
                    // Later messages come from the plugin.
                    if hasNotifier || policy.mode == .off {
                        ControlSocket.discard([descriptor])
                    } else {
                        notifier = SandboxNotifier(
                            descriptor: descriptor, process: process.id, policy: policy,
                            report: Sandbox.available)
                    }
                    hasNotifier = true
                }
            }
            if descriptors[3].revents != 0 { reportRefusal(&notifier) }
            if descriptors[0].revents != 0 || process.descriptor < 0,
                let report = crashReport(&lines)
            {
                connection.lose(because: report.text)
                folder?.remove()
                connection.didEnd()
                return
            }
            guard watch.isDue else { continue }
            let lent = connection.context.lentBytes()
            guard let status = ProcessStatus(in: statusFile) else {
                // If the process has ended, the next round reaps it. Otherwise the host had no
                // descriptor for the file.
                statusFile = StatusFile(of: process.id)
                watch.skip()
                continue
            }
            look(for: status.debugger)
            if let finding = processors.check(
                threads: status.threads, at: connection.context.clock.now)
            {
                connection.context.log(.warning, finding)
            }
            watch.check(sample(status, lent: lent), isStopped: status.isStopped)
        }
    }

    /// Adds the process's status to the connection's measurements.
    ///
    /// - Parameter lent: The bytes lent before the status was read.
    private func sample(_ status: ProcessStatus, lent: Int) -> ProcessWatchdog.Sample {
        var sample = connection.sample
        sample.hasAnswered = sample.hasAnswered || isFrozen || isDebugged
        sample.memoryBytes = memoryBytes(status, lent: lent)
        sample.mainThreadHasExited = status.mainThreadHasExited
        sample.threads = status.threads
        return sample
    }

    /// The process's memory without the frames that this host lends, with its temporary files: often these are memory,
    /// too.
    private func memoryBytes(_ status: ProcessStatus, lent before: Int) -> Int {
        let channels = connection.channels.memory
        let shared = channels.heldByteCount + (connection.frames?.heldByteCount ?? 0)
        // The host may have lent or taken back frames since the status was read.
        let lent = max(before, connection.context.lentBytes()) + channels.byteCount
        return status.privateBytes + max(0, max(status.sharedBytes, shared) - lent)
            + temporaryBytes
    }

    /// The bytes of the temporary files, including those without a name.
    private var temporaryBytes: Int {
        guard let folder else { return 0 }
        // The sandbox lets no process hide its files: there is an error only at its end.
        let nameless = greenroom_nameless_bytes(
            process.id, folder.path, Int64(SandboxPolicy.temporaryFileLimit))
        return folder.byteCount + max(0, Int(nameless))
    }

    private func readOutput(_ lines: inout LineReader) {
        let count = lines.read(output) { line in
            if !stderrTail.append(line) { connection.context.log(.info, line) }
        }
        connection.countLines(count)
    }

    /// Answers a waiting system call, and logs the missing grant.
    private func reportRefusal(_ notifier: inout SandboxNotifier?) {
        switch notifier?.handleOne() {
        case .refused(let refusal):
            connection.context.warnOnce(refusal.text)
            self.refusal.withLock { $0 = refusal.text }
        case .ended: notifier = nil
        case .nothing, .answered, nil: break
        }
    }

    /// The end of the process, as a report; nil while the process lives.
    private func crashReport(_ lines: inout LineReader) -> CrashReport? {
        guard let (code, status) = process.reap() else { return nil }
        ProcessorGroups.own?.remove(process.id)
        readOutput(&lines)
        return CrashReport(
            code: code, status: status, whereabouts: connection.context.whereabouts(),
            stderrTail: stderrTail.lines)
    }
}
