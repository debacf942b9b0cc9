import GreenroomIPC
import GreenroomRuntime
package import GreenroomSession
package import GreenroomPluginInterface
package import GreenroomMedia
import Synchronization

/// A process with a library in it, whose instances live side by side there, as those of a session
/// do that are hosted by the session itself. It is confined like any other.
package final class SharedProcess: PluginFactory {
    package let path: String
    private let runner: RunnerProcess
    private let news: News

    /// What is known of the process.
    private final class News: Sendable {
        struct State {
            var evidence: String?
            var lines: [String] = []
            var refusals: [String] = []
            /// How much memory each of the instances was lent.
            var lent: [@Sendable () -> Int] = []
        }

        let state = Monitor(State())

        /// The most lines that are kept.
        static let mostLines = 200

        func take(_ level: LogLevel, _ line: String) {
            state.withLock { state in
                guard state.lines.count < Self.mostLines else { return }
                state.lines.append(line)
                if level == .warning { state.refusals.append(line) }
            }
        }
    }

    /// Starts a process, which goes into its sandbox and loads nothing yet.
    package init(path: String, confinement: Confinement) throws(LoadError) {
        self.path = path
        let news = News()
        self.news = news
        var place = InstanceContext.scan(log: news.take)
        place.lose = { evidence in news.state.change { $0.evidence = evidence } }
        place.lentBytes = { news.state.withLock { $0.lent }.reduce(0) { $0 + $1() } }
        do throws(ChannelError) {
            runner = try RunnerProcess(confinement, library: path, frames: nil, place: place)
        } catch {
            throw .noRunner(error, for: path)
        }
        try runner.enterSandbox()
    }

    deinit { runner.kill() }

    /// Loads the library; before any instance is made.
    @discardableResult
    package func load() throws(LoadError) -> LibraryDescription { try runner.load(path) }

    /// Makes an instance and frees it again, with no host behind it.
    ///
    /// - Returns: What `create` answered; nil if the process is lost, or what was made breaks a rule.
    package func makeAndFree(_ descriptor: PluginDescriptor, _ settings: [Setting]) -> Status? {
        var message = WireWriter()
        message.write(descriptor.id)
        message.write(UInt64(0))
        message.write(false)
        message.write(settings) { $0.write($1) }
        guard var answer = runner.call(.create, message) else { return nil }
        guard (try? answer.readBool()) == true, let status = try? answer.read(Int32.self)
        else { return nil }
        guard status == Status.ok.rawValue else { return Status(rawValue: status) }
        return runner.call(.destroy, WireWriter()) == nil ? nil : .ok
    }

    package func begin(
        _ descriptor: PluginDescriptor, in place: InstanceContext
    ) -> any InstanceBackend {
        countsLentBytes(of: place)
        return IsolatedPlugin(self, descriptor, place)
    }

    /// Counts the memory that an instance is lent as the process's.
    func countsLentBytes(of place: InstanceContext) {
        news.state.withLock { $0.lent.append(place.lentBytes) }
    }

    /// The process.
    package var process: Int32 { runner.process }

    /// How the process has ended, in words; nil if it has not, after a moment for the news to come.
    package var evidence: String? {
        news.state.wait(until: MonotonicClock.deadline(after: 500_000_000)) { $0.evidence }
    }

    /// What a thread of the process touched that killed it, as the process told it.
    package var fault: MemoryFault? { runner.fault }

    /// What was written in the process other than through the host's log, and what the sandbox
    /// refused.
    package var lines: [String] { news.state.withLock { $0.lines } }

    /// What the sandbox refused.
    package var refusals: [String] { news.state.withLock { $0.refusals } }

    /// Stops the process by a signal, as a debugger or a machine that is short of memory does.
    package func stop() { runner.hold(true) }

    /// Lets the process go on.
    package func goOn() { runner.hold(false) }

    /// Ends the process. [any]
    package func end() { runner.end() }
}

extension SharedProcess: RunnerFactory {
    func start(
        _ frames: SharedMemory?, in place: InstanceContext
    ) throws(LoadError) -> RunnerProcess {
        try start(frames, in: place, observer: nil)
    }

    /// Begins another instance in the process.
    ///
    /// - Parameter observer: Watches the instance; nil for none.
    func start(
        _ frames: SharedMemory?, in place: InstanceContext, observer: (any InstanceObserver)?
    ) throws(LoadError) -> RunnerProcess {
        do throws(ChannelError) {
            return try RunnerProcess(
                beside: runner, frames: frames, place: place, observer: observer)
        } catch {
            throw .noRunner(error, for: path)
        }
    }
}
