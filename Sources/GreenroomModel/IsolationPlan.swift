import GreenroomMedia

/// The isolation of a plugin.
package struct IsolationPlan: Hashable, Sendable {
    /// The memory limit of plugins without one.
    package static let defaultMemoryLimit = MemorySize.megabytes(Limits.memoryMegabytes)

    /// The confinement of the process.
    package var sandbox: SandboxMode
    /// The limit of private memory; frames do not count.
    package var memoryLimit: MemorySize
    /// Additional grants.
    package var grants: Grants

    /// Makes a plan.
    package init(
        sandbox: SandboxMode = .on,
        memoryLimit: MemorySize = Self.defaultMemoryLimit, grants: Grants = Grants()
    ) {
        self.sandbox = sandbox
        self.memoryLimit = memoryLimit
        self.grants = grants
    }
}
