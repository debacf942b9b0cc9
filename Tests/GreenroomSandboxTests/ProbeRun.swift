import Glibc
import GreenroomSandbox
import TestSupport

/// As whom a probe runs.
enum Account: String, CaseIterable, CustomStringConvertible {
    /// As the tests do.
    case own
    /// As a user without any rights, which only root can become.
    case nobody

    var description: String { rawValue }

    /// Those that are possible here: both for root, unless Swift is where only root may read it.
    static let possible: [Account] = {
        guard getuid() == 0, let folder = try? ProbeFolder(),
            let trial = try? folder.start(["--available"], as: .nobody)
        else { return [.own] }
        return trial.wait(atMost: .seconds(60)).exit == .code(0) ? [.own, .nobody] : [.own]
    }()
}

/// A folder with a copy of `sandbox-probe` in it, which every user may enter.
final class ProbeFolder {
    let folder: TemporaryFolder
    var probe: String { folder("sandbox-probe") }

    init() throws {
        folder = try TemporaryFolder()
        // By another program: a file that this one has open for writing could not be started
        // while a process that it starts meanwhile still holds it.
        let copy = try ChildProcess.run("cp", [Checkout.products + "/sandbox-probe", probe])
        guard copy.exit == .code(0) else { throw Failure("\(copy)") }
        chmod(probe, 0o755)
        chmod(folder.path, 0o755)
    }

    /// Makes a folder in here that every user may write to.
    func makeOpenFolder(_ name: String) -> String {
        mkdir(folder(name), 0o777)
        chmod(folder(name), 0o777)
        return folder(name)
    }

    /// Starts a probe.
    func start(
        _ words: [String], as account: Account = .own, environment: [String: String?] = [:]
    ) throws -> ChildProcess {
        // Backtraces would be one more program that a crash starts.
        let usual: [String: String?] = ["SWIFT_BACKTRACE": "enable=no"]
        let environment = usual.merging(environment) { $1 }
        let words = ["--own", folder.path] + words
        return switch account {
        case .own: try ChildProcess(probe, words, environment: environment)
        case .nobody:
            try ChildProcess(
                "setpriv",
                ["--reuid", "65534", "--regid", "65534", "--clear-groups", probe] + words,
                environment: environment)
        }
    }

    /// Runs a probe to its end.
    func run(
        _ words: [String], as account: Account = .own, environment: [String: String?] = [:]
    ) throws -> ProbeOutcome {
        ProbeOutcome(
            try start(words, as: account, environment: environment).wait(atMost: .seconds(60)))
    }
}

/// What a probe said.
struct ProbeOutcome: CustomStringConvertible {
    private let finished: Finished
    private let lines: [Substring]

    init(_ finished: Finished) {
        self.finished = finished
        lines = finished.text.split(separator: "\n")
    }

    /// The error of an action; 0 if it was done, nil if it was not tried.
    func result(_ action: String) -> Int32? {
        value(after: "result \(action)=").flatMap { Int32($0) }
    }

    /// What the host said of refusals.
    var refusals: [String] { values(after: "refused ") }

    /// What could not be granted.
    var notes: [String] { values(after: "note ") }

    /// The state of a layer.
    func state(_ layer: SandboxLayer) -> String? {
        value(after: "layer \(layer)=")?.split(separator: " ").first.map(String.init)
    }

    /// How the plugin's process ended: `exit CODE` or `signal NUMBER`.
    var end: String? {
        lines.last { $0.hasPrefix("exit ") || $0.hasPrefix("signal ") }.map(String.init)
    }

    /// Why a sandbox that was required is not there.
    var requirement: String? { value(after: "required ") }

    var description: String { finished.text + "\n" + finished.description }

    private func values(after start: String) -> [String] {
        lines.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }

    private func value(after start: String) -> String? { values(after: start).first }
}
