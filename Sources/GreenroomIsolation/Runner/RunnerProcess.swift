import GreenroomPluginInterface
import GreenroomSandbox

/// A process that a plugin lives in, as its host sees it.
///
/// There are three kinds: ``SpawnedRunner`` is started, confined and ended by this host;
/// ``BroadcastRunner`` has connected by itself; ``CompanionRunner`` is a further instance in a
/// process that hosts one already. They differ in how they begin, how they are watched and how they
/// end. What they have in common is the ``connection``.
protocol RunnerProcess: Sendable {
    var connection: RunnerConnection { get }

    /// What confines the process; nil before ``prepare()``, and if this host does not confine it.
    var sandbox: SandboxReport? { get }

    /// Makes the runner ready to load a plugin: both sides agree on the protocol's version, and a
    /// process of this host's own enters its sandbox. [control]
    func prepare() throws(LoadError)
}
