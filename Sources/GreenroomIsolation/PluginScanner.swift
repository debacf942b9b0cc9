import Glibc
import GreenroomIPC
import GreenroomRuntime
import GreenroomSession
package import GreenroomPluginInterface
import Synchronization
import GreenroomModel

/// Looks into a library in a process of its own, so that whatever its code does while it is loaded
/// is done to that process alone.
package struct PluginScanner: Sendable {
    private let confinement: Confinement

    /// - Parameter program: The runner's program.
    package init(program: String) {
        // No grants: a library needs none to say what it is.
        confinement = Confinement(program: program, plan: IsolationPlan())
    }

    /// How long a library may take, its process's start included, in nanoseconds.
    private static let deadline: Int64 = 5_000_000_000

    /// Loads a library, and asks what is in it. [any]
    ///
    /// - Throws: ``LoadError``; with the code `hangs` if there was no answer in time, and with
    ///   `crashes` and the evidence if its process is lost.
    package func examine(_ path: String) throws(LoadError) -> LibraryDescription {
        let refusals = Refusals()
        let runner: RunnerProcess
        do throws(ChannelError) {
            runner = try RunnerProcess(
                confinement, library: path, frames: nil, place: .scan(log: refusals.take))
        } catch {
            throw .noRunner(error, for: path)
        }
        let answer = Monitor<Result<LibraryDescription, LoadError>?>(nil)
        _ = HostThread(name: "scan") {
            let result = Result { () throws(LoadError) in
                try runner.enterSandbox()
                return try runner.load(path)
            }
            answer.change { $0 = result }
        }
        let deadline = MonotonicClock.deadline(after: Self.deadline)
        let result: Result<LibraryDescription, LoadError>? = answer.wait(until: deadline) { $0 }
        guard let result else {
            let whereabouts = runner.endTellingWhere().map { " It was at \($0)." } ?? ""
            throw LoadError(
                code: .hangs, place: path,
                explanation: "it hangs while it is loaded: after "
                    + "\(Self.deadline / 1_000_000_000) s its constructors, its entry and its "
                    + "descriptors have not returned. They should do nothing but return."
                    + whereabouts + refusals.text)
        }
        runner.end()
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

/// What the sandbox refused to a library, which may be why it failed.
private final class Refusals: Sendable {
    private let attempts = Mutex<[String]>([])

    /// The most that are told.
    private static let most = 3

    /// Takes a line of the log. The grant that it names would not help: there are none here.
    func take(_ level: LogLevel, _ line: String) {
        guard level == .warning else { return }
        let cure = line.firstRange(of: ": ")?.lowerBound ?? line.endIndex
        attempts.withLock { if $0.count < Self.most { $0.append(String(line[..<cure])) } }
    }

    var text: String {
        let attempts = attempts.withLock { $0 }
        return attempts.isEmpty
            ? ""
            : " Nothing is granted to it while it is loaded for a look, and "
                + "\(attempts.joined(separator: ", and "))."
    }
}
