import Glibc
import GreenroomIPC
import GreenroomMedia
import GreenroomRuntime
import GreenroomLifecycle
package import GreenroomPluginInterface
import Synchronization
package import GreenroomModel

/// Scans a library in a separate process, which contains the effects of loading it.
package struct PluginScanner: Sendable {
    private let confinement: Confinement
    private let servers: RunnerServers

    /// - Parameters:
    ///   - program: The runner's program.
    ///   - sandbox: The strictness of the sandbox. Bundled and accepted libraries do not need a
    ///     complete sandbox.
    package init(program: String, sandbox: SandboxMode = .on) {
        // Grant nothing: a library needs no grant to export its descriptors.
        confinement = Confinement(program: program, plan: IsolationPlan(sandbox: sandbox))
        servers = RunnerServers(confinement)
    }

    /// Loads a library and reads its descriptors. [any]
    ///
    /// - Throws: ``LoadError``: `hangs` if the library does not answer in time, or `crashes` with
    ///   the crash report if the process is lost.
    ///
    /// - Parameters:
    ///   - interpreter: The interpreter of a script; nil for a library.
    ///   - limit: The time limit of a library, including the start of the process, in nanoseconds.
    package func examine(
        _ path: String, with interpreter: ScriptInterpreter? = nil,
        within limit: Int64 = Limits.loadingNanoseconds
    ) throws(LoadError) -> LibraryDescription {
        guard let interpreter else {
            let server: RunnerServer
            do throws(ChannelError) {
                server = try servers.take()
            } catch {
                throw .noRunner(error, for: path)
            }
            defer { servers.give(server) }
            return try examine(path, nil, from: server, within: limit)
        }
        return try examine(path, interpreter, from: nil, within: ScriptLoad.timeout)
    }

    /// - Parameter server: The server that forks the process; nil to start the program.
    private func examine(
        _ path: String, _ interpreter: ScriptInterpreter?, from server: RunnerServer?,
        within limit: Int64
    ) throws(LoadError) -> LibraryDescription {
        var confinement = confinement
        confinement.interpreter = interpreter
        let deadline = LoadDeadline(limit, from: MonotonicClock.now)
        let refusals = Refusals()
        let runner: SpawnedRunner
        do throws(ChannelError) {
            runner = try SpawnedRunner(
                confinement, library: path, frames: nil, context: .scan(log: refusals.add),
                from: server)
        } catch {
            throw .noRunner(error, for: path)
        }
        let answer = Monitor<Result<LibraryDescription, LoadError>?>(nil)
        _ = HostThread(name: "scan") {
            let result = Result { () throws(LoadError) in
                try runner.prepare()
                guard interpreter != nil else { return try runner.connection.load(path) }
                return try ScriptLoad.run(
                    path, in: runner.connection, lines: runner.stderrTail.lines)
            }
            answer.change { $0 = result }
        }
        let result = deadline.wait(for: answer) {
            ProcessorWait.longestNanoseconds(ofProcess: runner.process.id)
        }
        guard let result else {
            let whereabouts = runner.abortForBacktrace().map { " Last seen at \($0)." } ?? ""
            throw LoadError(
                code: .hangs, place: path,
                explanation: "hangs while loading: constructors, entry and descriptors have not "
                    + "returned within \(Limits.seconds(limit)). Do no work in them."
                    + whereabouts + refusals.text)
        }
        runner.connection.end()
        do throws(LoadError) {
            return try result.get()
        } catch {
            var error = error
            if error.code == .crashes, interpreter == nil {
                error.explanation = "crashes while loading: \(error.explanation)."
            }
            if access(path, F_OK) != 0, errno == ENOENT {
                error.explanation =
                    "No such file or directory. Build it first, or correct the path."
            } else if !refusals.text.isEmpty {
                if !error.explanation.hasSuffix(".") { error.explanation += "." }
                error.explanation += refusals.text
            }
            throw error
        }
    }
}

/// The servers of concurrent scans. They end with the last scan.
private final class RunnerServers: Sendable {
    private struct State {
        var idle: [RunnerServer] = []
        var scanCount = 0
    }

    private let confinement: Confinement
    private let state = Mutex(State())

    init(_ confinement: Confinement) { self.confinement = confinement }

    /// An idle server, or a new one. [any]
    func take() throws(ChannelError) -> RunnerServer {
        let idle = state.withLock { state in
            state.scanCount += 1
            return state.idle.popLast()
        }
        do throws(ChannelError) {
            if let idle { return idle }
            return try RunnerServer(confinement)
        } catch {
            state.withLock { $0.scanCount -= 1 }
            throw error
        }
    }

    /// Returns a server that ``take()`` gave. [any]
    func give(_ server: RunnerServer) {
        state.withLock { state in
            state.scanCount -= 1
            // A server whose process has not ended is released with that process.
            if server.isIdle { state.idle.append(server) }
            if state.scanCount == 0 { state.idle = [] }
        }
    }
}

/// The accesses that the sandbox denied to a library: a possible cause of its failure.
private final class Refusals: Sendable {
    private let attempts = Mutex<[String]>([])

    /// Limit of kept refusals.
    private static let limit = 3

    /// Adds a line of the log without its fix: a scan has no grants.
    func add(_ level: LogLevel, _ line: String) {
        guard level == .warning else { return }
        let cure = line.firstRange(of: "; ")?.lowerBound ?? line.endIndex
        attempts.withLock { if $0.count < Self.limit { $0.append(String(line[..<cure])) } }
    }

    var text: String {
        let attempts = attempts.withLock { $0 }
        return attempts.isEmpty
            ? ""
            : " A scan has no grants: \(attempts.joined(separator: "; "))."
    }
}
