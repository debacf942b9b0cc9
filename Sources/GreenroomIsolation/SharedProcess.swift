import GreenroomIPC
import GreenroomRuntime
package import GreenroomSession
package import GreenroomPluginInterface
package import GreenroomMedia
import Synchronization

/// A process that hosts any number of instances of one library, as a session's own process does with
/// plugins that are not isolated. It is confined like any other runner.
package final class SharedProcess: PluginFactory {
    package let path: String
    private let runner: SpawnedRunner
    private let log: Log

    /// What the process has written, and how it ended.
    private final class Log: Sendable {
        struct State {
            var evidence: String?
            var lines: [String] = []
            var refusals: [String] = []
            /// How many bytes of frames each instance was lent.
            var lentBytes: [@Sendable () -> Int] = []
        }

        let state = Monitor(State())

        /// How many lines are kept.
        static let limit = 200

        func append(_ level: LogLevel, _ line: String) {
            state.withLock { state in
                guard state.lines.count < Self.limit else { return }
                state.lines.append(line)
                if level == .warning { state.refusals.append(line) }
            }
        }
    }

    /// Starts a process, which enters its sandbox and loads nothing yet.
    package init(path: String, confinement: Confinement) throws(LoadError) {
        self.path = path
        let log = Log()
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
    }

    deinit { runner.connection.kill() }

    /// Loads the library; before any instance is created.
    @discardableResult
    package func load() throws(LoadError) -> LibraryDescription {
        try runner.connection.load(path)
    }

    /// Creates an instance and destroys it again, with no host behind it.
    ///
    /// - Returns: What `create` answered; nil if the process is lost, or the instance breaks a rule.
    package func createAndDestroy(_ descriptor: PluginDescriptor, _ settings: [Setting]) -> Status?
    {
        var message = WireWriter()
        message.write(descriptor.id)
        message.write(UInt64(0))
        message.write(false)
        message.write(settings) { $0.write($1) }
        guard var answer = runner.connection.call(.create, message) else { return nil }
        guard (try? answer.readBool()) == true, let status = try? answer.read(Int32.self)
        else { return nil }
        guard status == Status.ok.rawValue else { return Status(rawValue: status) }
        return runner.connection.call(.destroy, WireWriter()) == nil ? nil : .ok
    }

    package func begin(
        _ descriptor: PluginDescriptor, in context: InstanceContext
    ) -> any InstanceBackend {
        countLentBytes(of: context)
        return IsolatedPlugin(self, descriptor, context)
    }

    /// Counts what an instance is lent as memory of the process.
    func countLentBytes(of context: InstanceContext) {
        log.state.withLock { $0.lentBytes.append(context.lentBytes) }
    }

    /// The process's id.
    package var process: Int32 { runner.process.id }

    /// How the process has ended; nil if it has not. Waits up to half a second for that.
    package var evidence: String? {
        log.state.wait(until: MonotonicClock.deadline(after: 500_000_000)) { $0.evidence }
    }

    /// The memory access that killed the process, as its crash report names it.
    package var fault: MemoryFault? { runner.fault }

    /// What the process wrote other than through the host's log, and what its sandbox refused.
    package var lines: [String] { log.state.withLock { $0.lines } }

    /// What its sandbox refused.
    package var refusals: [String] { log.state.withLock { $0.refusals } }

    /// Stops the process by a signal, as a debugger does, or a machine that is short of memory.
    package func freeze() { runner.freeze() }

    /// Lets the process run again.
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
    /// - Parameter observer: Watches the instance; nil for none.
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
