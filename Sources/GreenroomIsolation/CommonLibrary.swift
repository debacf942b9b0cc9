import GreenroomModel
import Glibc
import GreenroomIPC
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomSandbox
import Synchronization

/// A library whose instances in a session share a process. For example, a file's camera and
/// microphone read the file once. The process ends with its last instance. If the process is lost,
/// all instances are lost, and the first restarted instance starts the next process.
package final class CommonLibrary: PluginFactory {
    package let path: String
    private let confinement: Confinement
    private let process = Mutex<CommonProcess?>(nil)

    package init(path: String, confinement: Confinement) {
        self.path = path
        self.confinement = confinement
    }

    deinit { process.withLock { $0 }?.end() }

    package var loadingLimit: Int64 { confinement.interpreter == nil ? 0 : ScriptLoad.timeout }
}

extension CommonLibrary: RunnerFactory {
    func start(
        _ frames: SharedMemory?, in context: InstanceContext
    ) throws(LoadError) -> any RunnerProcess {
        // Another instance that joins the process waits here.
        try process.withLock { process throws(LoadError) in
            if let process, let runner = try process.add(frames, context) { return runner }
            let started = try CommonProcess(path: path, confinement, for: context)
            // On the process's main thread. Imports take longer than a callback may.
            if confinement.interpreter != nil { try started.load(path) }
            process = started
            guard let runner = try started.add(frames, context) else {
                throw LoadError(
                    code: .noRunner, place: path,
                    explanation: started.evidence ?? "the process ended.")
            }
            return runner
        }
    }
}

/// A process with several instances of a session: a process that this host started, or a program that
/// connected. The first runner has no instance. It confines and measures a process of this host, and ends the
/// process or the connection.
final class CommonProcess: Sendable {
    private struct State {
        /// The contexts of the live instances, by handle.
        var members: [UInt64: InstanceContext] = [:]
        var evidence: String?
        var hasEnded = false
    }

    private let runner: any FirstRunner
    private let shared: Shared

    /// The objects that the first runner's context refers to.
    private final class Shared: Sendable {
        let state = Mutex(State())

        /// Logs a line of the process for its oldest instance.
        func log(_ level: LogLevel, _ line: String) {
            let members = state.withLock { $0.members.values.map { $0 } }
            members.min { $0.handle < $1.handle }?.log(level, line)
        }

        var lentBytes: Int {
            let members = state.withLock { $0.members.values.map { $0 } }
            return members.reduce(0) { $0 + $1.lentBytes() }
        }

        var whereabouts: String? {
            let members = state.withLock { $0.members.values.map { $0 } }
            return members.lazy.compactMap { $0.whereabouts() }.first
        }

        /// The context of the first runner.
        var context: InstanceContext {
            var context = InstanceContext.scan(log: log)
            context.lose = { evidence in
                self.state.withLock { state in
                    state.evidence = evidence
                    state.hasEnded = true
                }
            }
            context.lentBytes = { self.lentBytes }
            context.whereabouts = { self.whereabouts }
            return context
        }
    }

    /// Starts a process. The process enters its sandbox and loads no library yet.
    ///
    /// - Parameter context: The first instance, which gets the lines that a script prints at its import.
    init(
        path: String, _ confinement: Confinement, for context: InstanceContext
    ) throws(LoadError) {
        shared = Shared()
        shared.state.withLock { $0.members[context.handle] = context }
        do throws(ChannelError) {
            runner = try Self.spawn(path, confinement, shared.context)
        } catch {
            throw .noRunner(error, for: path)
        }
        try prepare()
    }

    /// Takes over a program that has connected.
    ///
    /// - Parameter leave: Called after the program has disconnected.
    init(
        of peer: PendingPeer, at path: String, leave: @escaping @Sendable () -> Void
    ) throws(LoadError) {
        shared = Shared()
        do throws(ChannelError) {
            runner = try ConnectedRunner(peer, at: path, context: shared.context, leave: leave)
        } catch {
            throw .noRunner(error, for: path)
        }
        try prepare()
    }

    /// Loads the library in the first runner.
    fileprivate func load(_ path: String) throws(LoadError) {
        do throws(LoadError) {
            _ = try ScriptLoad.run(path, in: runner.connection, lines: runner.lastLines)
        } catch {
            end()
            throw error
        }
    }

    private func prepare() throws(LoadError) {
        do throws(LoadError) {
            try runner.prepare()
        } catch {
            runner.connection.kill()
            throw error
        }
    }

    /// Spawns the process from a thread that lives as long as the process. The kernel kills a
    /// runner when its spawning thread ends, and an instance's thread may end before the other
    /// instances.
    private static func spawn(
        _ path: String, _ confinement: Confinement, _ context: InstanceContext
    ) throws(ChannelError) -> SpawnedRunner {
        let spawned = Monitor<Result<SpawnedRunner, ChannelError>?>(nil)
        _ = HostThread(name: "common process") {
            let result = Result { () throws(ChannelError) in
                try SpawnedRunner(confinement, library: path, frames: nil, context: context)
            }
            spawned.change { $0 = result }
            guard case .success(let runner) = result else { return }
            while !runner.connection.waitForEnd(nanoseconds: 3_600_000_000_000) {}
        }
        let result: Result<SpawnedRunner, ChannelError>? = spawned.wait(until: .max) { $0 }
        guard let result else { throw ChannelError("start a process", errno: EAGAIN) }
        return try result.get()
    }

    /// The reason that the process was lost; nil if it was not.
    var evidence: String? { shared.state.withLock { $0.evidence } }

    var sandbox: SandboxReport? { runner.sandbox }

    /// Starts another instance; nil if the process has ended.
    func add(
        _ frames: SharedMemory?, _ context: InstanceContext
    ) throws(LoadError) -> CompanionRunner? {
        guard !shared.state.withLock({ $0.hasEnded }) else { return nil }
        shared.state.withLock { $0.members[context.handle] = context }
        do throws(ChannelError) {
            return try CompanionRunner(
                beside: runner, frames: frames, context: context, observer: nil, in: self)
        } catch {
            remove(context.handle)
            throw .noRunner(error, for: runner.program)
        }
    }

    /// Removes an ended instance.
    func remove(_ instance: UInt64) {
        let isLast = shared.state.withLock { state in
            guard state.members.removeValue(forKey: instance) != nil, state.members.isEmpty else {
                return false
            }
            state.hasEnded = true
            return true
        }
        if isLast { runner.connection.end() }
    }

    /// Kills the process with all instances, because an instance hangs. Does nothing if that
    /// instance has ended.
    func kill(_ instance: UInt64) {
        let isRunning = shared.state.withLock { state in
            guard state.members[instance] != nil else { return false }
            state.hasEnded = true
            return true
        }
        if isRunning { runner.connection.kill() }
    }

    func end() {
        shared.state.withLock { $0.hasEnded = true }
        runner.connection.end()
    }

    /// Waits at most 0.5 s until the process has ended.
    func waitForEnd() { _ = runner.connection.waitForEnd(nanoseconds: 500_000_000) }
}
