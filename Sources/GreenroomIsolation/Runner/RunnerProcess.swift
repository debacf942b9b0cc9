import GreenroomPluginInterface
import GreenroomSandbox

/// A plugin's process, as its host sees it.
///
/// There are three kinds. The host starts, confines and ends a ``SpawnedRunner``; a
/// ``BroadcastRunner`` connects to the host; a ``CompanionRunner`` is another instance in a process
/// that hosts one already. They share the ``connection`` and differ in start, monitoring and end.
protocol RunnerProcess: AnyObject, Sendable {
    var connection: RunnerConnection { get }
    var process: ProcessHandle { get }

    /// The sandbox of the process; nil before ``prepare()``, and without a sandbox.
    var sandbox: SandboxReport? { get }

    /// Whether a debugger is attached, or was until a moment ago: then it may stand still. [any]
    var isDebugged: Bool { get }

    /// A sentence about an obstacle to the process that the host sees; nil if none. [any]
    var hindrance: String? { get }

    /// Makes the runner ready to load a plugin: checks the protocol version, and confines a process
    /// that this host started. [control]
    func prepare() throws(LoadError)
}
