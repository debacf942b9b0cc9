import Glibc
import GreenroomSandbox
import TestSupport

/// The user of a probe.
enum Account: String, CaseIterable, CustomStringConvertible {
    /// The user of the tests.
    case own
    /// A user without any rights; only root can change to it.
    case nobody

    var description: String { rawValue }

    /// The possible accounts: both for root, unless only root can read Swift's folder.
    static let possible: [Account] = {
        guard getuid() == 0, let folder = try? ProbeFolder(),
            let trial = try? folder.start(["--available"], as: .nobody)
        else { return [.own] }
        return trial.wait().exit == .code(0) ? [.own, .nobody] : [.own]
    }()
}

/// A folder with a copy of `sandbox-probe` that every user can enter.
final class ProbeFolder {
    let folder: TemporaryFolder
    var probe: String { folder("sandbox-probe") }

    init() throws {
        folder = try TemporaryFolder()
        // Copy in another process: a child that forks meanwhile could hold our writable descriptor,
        // and then the copy could not be executed.
        let copy = try ChildProcess.run("cp", [Checkout.products + "/sandbox-probe", probe])
        guard copy.exit == .code(0) else { throw Failure("\(copy)") }
        chmod(probe, 0o755)
        chmod(folder.path, 0o755)
    }

    /// Makes a folder in it that every user can write.
    func makeOpenFolder(_ name: String) -> String {
        mkdir(folder(name), 0o777)
        chmod(folder(name), 0o777)
        return folder(name)
    }

    /// Starts a probe.
    func start(
        _ words: [String], as account: Account = .own, environment: [String: String?] = [:]
    ) throws -> ChildProcess {
        // A backtrace would start another program after a crash.
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
            try start(words, as: account, environment: environment).wait())
    }
}

/// The output of a probe.
struct ProbeOutcome: CustomStringConvertible {
    private let finished: Finished
    private let lines: [Substring]

    init(_ finished: Finished) {
        self.finished = finished
        lines = finished.text.split(separator: "\n")
    }

    /// The errno of an action; 0 for success, nil if it was not tried.
    func result(_ action: String) -> Int32? {
        value(after: "result \(action)=").flatMap { Int32($0) }
    }

    /// The host's messages about refusals.
    var refusals: [String] { values(after: "refused ") }

    /// Failed grants.
    var notes: [String] { values(after: "note ") }

    /// The state of a layer.
    func state(_ layer: SandboxLayer) -> String? {
        value(after: "layer \(layer)=")?.split(separator: " ").first.map(String.init)
    }

    /// How the plugin's process ended: `exit CODE` or `signal NUMBER`.
    var end: String? {
        lines.last { $0.hasPrefix("exit ") || $0.hasPrefix("signal ") }.map(String.init)
    }

    /// Why a required sandbox is incomplete.
    var requirement: String? { value(after: "required ") }

    var description: String { finished.text + "\n" + finished.description }

    private func values(after start: String) -> [String] {
        lines.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }

    private func value(after start: String) -> String? { values(after: start).first }
}
