import GreenroomPluginInterface
import GreenroomSandbox

/// A plugin's process, from the host's point of view.
///
/// There are three kinds. The host starts, confines and ends a ``SpawnedRunner``. A
/// ``ConnectedRunner`` connects to the host. A ``CompanionRunner`` is another instance in a process
/// that already hosts one. All kinds have a ``connection``; they differ in start, monitoring and
/// end.
protocol RunnerProcess: AnyObject, Sendable {
    var connection: RunnerConnection { get }
    var process: ProcessHandle { get }

    /// The sandbox of the process; nil before ``prepare()`` and if the process has no sandbox.
    var sandbox: SandboxReport? { get }

    /// Whether a debugger is attached or was attached until a moment ago. A debugged process may
    /// stand still. [any]
    var isDebugged: Bool { get }

    /// A sentence about an obstacle to the process; nil if the host sees none. [any]
    var hindrance: String? { get }

    /// Prepares the runner to load a plugin: checks the protocol version, and confines a process
    /// that this host started. [control]
    func prepare() throws(LoadError)
}

/// The runner that other instances of a process join: a ``SpawnedRunner`` or a ``ConnectedRunner``.
protocol FirstRunner: RunnerProcess {
    /// The path of the runner's program or socket, for errors.
    var program: String { get }
    /// Whether the process is stopped intentionally.
    var isFrozen: Bool { get }
    /// The last lines of the process's output; empty for a process that this host did not start.
    var lastLines: [String] { get }
}

extension SpawnedRunner: FirstRunner {
    var program: String { confinement.program }
    var lastLines: [String] { stderrTail.lines }
}

extension ConnectedRunner: FirstRunner {
    var lastLines: [String] { [] }
}
