import Glibc
import GreenroomIPC
import GreenroomRuntime
import GreenroomSession
package import GreenroomPluginInterface
import Synchronization
import GreenroomModel

/// Scans a library in a process of its own: whatever its code does while it is loaded, it does to
/// that process alone.
package struct PluginScanner: Sendable {
    private let confinement: Confinement

    /// - Parameter program: The runner's program.
    package init(program: String) {
        // No grants: a library needs none to describe itself.
        confinement = Confinement(program: program, plan: IsolationPlan())
    }

    /// How long a scan may take, with the start of the process, in nanoseconds.
    private static let timeout: Int64 = 5_000_000_000

    /// Loads a library and reads what is in it. [any]
    ///
    /// - Throws: ``LoadError``; with the code `hangs` if there was no answer in time, and with
    ///   `crashes` and the evidence if the process is lost.
    package func examine(_ path: String) throws(LoadError) -> LibraryDescription {
        let refusals = Refusals()
        let runner: SpawnedRunner
        do throws(ChannelError) {
            runner = try SpawnedRunner(
                confinement, library: path, frames: nil, context: .scan(log: refusals.add))
        } catch {
            throw .noRunner(error, for: path)
        }
        let answer = Monitor<Result<LibraryDescription, LoadError>?>(nil)
        _ = HostThread(name: "scan") {
            let result = Result { () throws(LoadError) in
                try runner.prepare()
                return try runner.connection.load(path)
            }
            answer.change { $0 = result }
        }
        let deadline = MonotonicClock.deadline(after: Self.timeout)
        let result: Result<LibraryDescription, LoadError>? = answer.wait(until: deadline) { $0 }
        guard let result else {
            let whereabouts = runner.abortForBacktrace().map { " It was at \($0)." } ?? ""
            throw LoadError(
                code: .hangs, place: path,
                explanation: "it hangs while it is loaded: after "
                    + "\(Self.timeout / 1_000_000_000) s its constructors, its entry and its "
                    + "descriptors have not returned. They should do nothing but return."
                    + whereabouts + refusals.text)
        }
        runner.connection.end()
        do throws(LoadError) {
            return try result.get()
        } catch {
            var error = error
            if error.code == .crashes {
                error.explanation = "it crashes while it is loaded: \(error.explanation)."
            }
            if access(path, F_OK) != 0, errno == ENOENT {
                error.explanation =
                    "No such file or directory. Build it first, or correct the path."
            } else {
                error.explanation += refusals.text
            }
            throw error
        }
    }
}

/// What the sandbox refused to a library: maybe the reason why it failed.
private final class Refusals: Sendable {
    private let attempts = Mutex<[String]>([])

    /// How many are kept.
    private static let limit = 3

    /// Adds a line of the log, without the grant that it proposes: a scan has no grants.
    func add(_ level: LogLevel, _ line: String) {
        guard level == .warning else { return }
        let cure = line.firstRange(of: ": ")?.lowerBound ?? line.endIndex
        attempts.withLock { if $0.count < Self.limit { $0.append(String(line[..<cure])) } }
    }

    var text: String {
        let attempts = attempts.withLock { $0 }
        return attempts.isEmpty
            ? ""
            : " A scan grants nothing, and "
                + "\(attempts.joined(separator: ", and "))."
    }
}
