package import GreenroomLifecycle
import GreenroomModel
import GreenroomIPC
import GreenroomRuntime
package import GreenroomPluginInterface
package import GreenroomMedia
import Synchronization

/// A process for any number of instances of one library, as the host's process is for plugins
/// without isolation. The process is confined like any other runner.
package final class SharedProcess: PluginFactory {
    package let path: String
    package let connections: ConnectionGrants
    private let runner: SpawnedRunner
    private let log: Log

    /// The process's output, and the reason for its end.
    private final class Log: Sendable {
        struct State {
            /// Whether the process may load the plugin. Earlier lines concern the sandbox.
            var isPrepared = false
            var evidence: String?
            var lines: [String] = []
            var refusals: [String] = []
            /// The bytes of frames lent to each instance.
            var lentBytes: [@Sendable () -> Int] = []
        }

        let state = Monitor(State())

        /// Number of kept lines, and of kept refusals.
        static let limit = 200
        private let onRefusal: @Sendable (String) -> Void

        init(onRefusal: @escaping @Sendable (String) -> Void) { self.onRefusal = onRefusal }

        func append(_ level: LogLevel, _ line: String) {
            let isRefusal = state.withLock { state in
                let isRefusal = level == .warning && state.isPrepared
                if state.lines.count < Self.limit { state.lines.append(line) }
                if isRefusal, state.refusals.count < Self.limit { state.refusals.append(line) }
                return isRefusal
            }
            if isRefusal { onRefusal(line) }
        }
    }

    /// Starts a sandboxed process without a library.
    ///
    /// - Parameter - Parameter onRefusal: Called on any thread for each access that the sandbox
    ///   denies.
    package init(
        path: String, confinement: Confinement,
        onRefusal: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(LoadError) {
        self.path = path
        connections = ConnectionGrants(confinement.plan)
        let log = Log(onRefusal: onRefusal)
        self.log = log
        var context = InstanceContext.scan(log: log.append)
        context.lose = { evidence in log.state.change { $0.evidence = evidence } }
        context.lentBytes = { log.state.withLock { $0.lentBytes }.reduce(0) { $0 + $1() } }
        do throws(ChannelError) {
            runner = try SpawnedRunner(confinement, library: path, frames: nil, context: context)
        } catch {
            throw .noRunner(error, for: path)
        }
        try runner.prepare()
        log.state.withLock { $0.isPrepared = true }
    }

    deinit { runner.connection.kill() }

    /// Loads the library. Call it before creating instances.
    @discardableResult
    package func load() throws(LoadError) -> LibraryDescription {
        try runner.connection.load(path)
    }

    /// Creates and destroys an instance without a host.
    ///
    /// - Returns: The status of `create`; nil if the process is lost, or the instance breaks a
    ///   rule.
    package func createAndDestroy(_ descriptor: PluginDescriptor, _ settings: [PluginSetting])
        -> Status?
    {
        var message = WireWriter()
        message.write(creationOf: descriptor, settings, for: nil)
        guard var answer = runner.connection.call(.create, message) else { return nil }
        guard (try? answer.readBool()) == true, let status = try? answer.read(Int32.self)
        else { return nil }
        guard status == Status.ok.rawValue else { return Status(rawValue: status) }
        return runner.connection.perform(.destroy).status == .ok ? .ok : nil
    }

    package func begin(
        _ descriptor: PluginDescriptor, in context: InstanceContext
    ) -> any InstanceBackend {
        countLentBytes(of: context)
        return IsolatedPlugin(self, descriptor, context)
    }

    /// Counts frames lent to an instance as lent to the process.
    func countLentBytes(of context: InstanceContext) {
        log.state.withLock { $0.lentBytes.append(context.lentBytes) }
    }

    /// The process's id.
    package var process: Int32 { runner.process.id }

    /// The reason for the process's exit; nil while it runs. Waits up to 0.5 s for the exit.
    package var evidence: String? {
        log.state.wait(until: MonotonicClock.deadline(after: 500_000_000)) { $0.evidence }
    }

    /// The memory access that killed the process, from its crash report.
    package var fault: MemoryFault? { runner.fault }

    /// The functions of the crash, innermost first, e.g. `libX.so(name+0x12)`; empty if unknown.
    package var crashFrames: [String] { runner.crashFrames }

    /// The lines that the process wrote to standard output or error, and the sandbox's refusals.
    package var lines: [String] { log.state.withLock { $0.lines } }

    /// The accesses that the sandbox denied, one line each.
    package var refusals: [String] { log.state.withLock { $0.refusals } }

    /// Stops the process with SIGSTOP, as a debugger does.
    package func freeze() { runner.freeze() }

    /// Continues the process.
    package func thaw() { runner.thaw() }

    /// Ends the process. [any]
    package func end() { runner.connection.end() }
}

extension SharedProcess: RunnerFactory {
    func start(
        _ frames: SharedMemory?, in context: InstanceContext
    ) throws(LoadError) -> any RunnerProcess {
        try start(frames, in: context, observer: nil)
    }

    /// Starts another instance in the process.
    ///
    /// - Parameter observer: The observer of the instance; nil if none.
    func start(
        _ frames: SharedMemory?, in context: InstanceContext, observer: (any InstanceObserver)?
    ) throws(LoadError) -> any RunnerProcess {
        do throws(ChannelError) {
            return try CompanionRunner(
                beside: runner, frames: frames, context: context, observer: observer)
        } catch {
            throw .noRunner(error, for: path)
        }
    }
}
