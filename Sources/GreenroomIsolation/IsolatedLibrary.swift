package import GreenroomLifecycle
package import GreenroomModel

/// A library whose instances each run in their own process.
package struct IsolatedLibrary: PluginFactory {
    package let path: String
    /// The confinement of the library's processes.
    package let confinement: Confinement
    package let connections: ConnectionGrants

    package init(path: String, confinement: Confinement) {
        self.path = path
        self.confinement = confinement
        connections = ConnectionGrants(confinement.plan)
    }
}

/// The program, libraries and grants of a runner.
package struct Confinement: Sendable {
    /// The runner's program.
    package var program: String
    /// The grants of the session file.
    package var plan: IsolationPlan
    /// A library to load before all others (`LD_PRELOAD`); nil in sessions.
    package var preload: String?

    /// Whether the runner has the validator's probe; false in sessions.
    package var hasProbe: Bool

    /// The interpreter that runs the library, which then is a script; nil for a shared library.
    package var interpreter: ScriptInterpreter?

    package init(
        program: String, plan: IsolationPlan, preload: String? = nil, hasProbe: Bool = false,
        interpreter: ScriptInterpreter? = nil
    ) {
        self.program = program
        self.plan = plan
        self.preload = preload
        self.hasProbe = hasProbe
        self.interpreter = interpreter
    }
}
