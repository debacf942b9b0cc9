import GreenroomEvents
import Glibc
import GreenroomIPC
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomSandbox
import Synchronization

/// A library whose instances share a process of a session, as the camera and the microphone of a file do: one
/// reads the file for both. The process ends with its last instance; its loss is that of all, and the first one
/// that is restarted starts the next process.
package final class CommonLibrary: PluginFactory {
    package let path: String
    private let confinement: Confinement
    private let process = Mutex<CommonProcess?>(nil)

    package init(path: String, confinement: Confinement) {
        self.path = path
        self.confinement = confinement
    }

    deinit { process.withLock { $0 }?.end() }
}

extension CommonLibrary: RunnerFactory {
    func start(
        _ frames: SharedMemory?, in context: InstanceContext
    ) throws(LoadError) -> any RunnerProcess {
        // Another instance waits here for the process that it joins.
        try process.withLock { process throws(LoadError) in
            if let process, let runner = try process.add(frames, context) { return runner }
            let started = try CommonProcess(path: path, confinement)
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

/// A process with several instances of a session. Its first runner has none: it confines, measures and ends the
/// process.
final class CommonProcess: Sendable {
    private struct State {
        /// The instances that have not ended, by their handles.
        var members: [UInt64: InstanceContext] = [:]
        var evidence: String?
        var hasEnded = false
    }

    private let runner: SpawnedRunner
    private let shared: Shared

    /// The objects that the first runner's context refers to.
    private final class Shared: Sendable {
        let state = Mutex(State())

        /// A line of the process is one of its oldest instance.
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
    }

    /// Starts a process, which enters its sandbox and loads nothing yet.
    init(path: String, _ confinement: Confinement) throws(LoadError) {
        let shared = Shared()
        self.shared = shared
        var context = InstanceContext.scan(log: shared.log)
        context.lose = { evidence in
            shared.state.withLock { state in
                state.evidence = evidence
                state.hasEnded = true
            }
        }
        context.lentBytes = { shared.lentBytes }
        context.whereabouts = { shared.whereabouts }
        do throws(ChannelError) {
            runner = try Self.spawn(path, confinement, context)
        } catch {
            throw .noRunner(error, for: path)
        }
        do throws(LoadError) {
            try runner.prepare()
        } catch {
            runner.connection.kill()
            throw error
        }
    }

    /// Spawns the process from a thread that lives as long as it: the kernel kills a runner when the thread that
    /// has spawned it ends, and an instance's thread may end before the other instances.
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

    /// Why it was lost; nil if it was not.
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
            throw .noRunner(error, for: runner.confinement.program)
        }
    }

    /// An instance has ended.
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

    /// Ends it at once, with all instances, unless this one has ended: it hangs.
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

    /// Waits until it is known how it ended.
    func waitForEnd() { _ = runner.connection.waitForEnd(nanoseconds: 500_000_000) }
}
