package import GreenroomConnections
import GreenroomLifecycle
package import GreenroomModel

/// A library whose instances live in processes of their own.
package struct IsolatedLibrary: PluginFactory {
    package let path: String
    /// How its processes are confined.
    package let confinement: Confinement
    package let connections: ConnectionGrants

    package init(path: String, confinement: Confinement) {
        self.path = path
        self.confinement = confinement
        connections = ConnectionGrants(confinement.plan)
    }
}

/// How to start a runner, and what it may do.
package struct Confinement: Sendable {
    /// The runner's program.
    package var program: String
    /// The grants of the session file.
    package var plan: IsolationPlan
    /// A library to load before all others (`LD_PRELOAD`); nil in sessions.
    package var preload: String?

    /// Whether the runner has the validator's probe; false in sessions.
    package var hasProbe: Bool

    package init(
        program: String, plan: IsolationPlan, preload: String? = nil, hasProbe: Bool = false
    ) {
        self.program = program
        self.plan = plan
        self.preload = preload
        self.hasProbe = hasProbe
    }
}
