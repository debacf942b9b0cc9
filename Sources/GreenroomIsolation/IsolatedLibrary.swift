package import GreenroomSession
package import GreenroomPluginInterface
import GreenroomMedia
import GreenroomModel

/// A library whose plugins live in processes of their own.
package struct IsolatedLibrary: PluginFactory {
    package let path: String
    /// How its processes are confined.
    package let confinement: Confinement

    package init(path: String, confinement: Confinement) {
        self.path = path
        self.confinement = confinement
    }

    package func begin(
        _ descriptor: PluginDescriptor, in place: InstanceContext
    ) -> any InstanceBackend {
        IsolatedPlugin(self, descriptor, place)
    }
}

/// How a runner is started, and what its plugin may do there.
package struct Confinement: Sendable {
    /// The runner's program.
    package var program: String
    /// What the session file grants.
    package var plan: IsolationPlan
    /// A library that its processes have before all others; nil for none, as in sessions.
    package var preload: String?

    package init(program: String, plan: IsolationPlan, preload: String? = nil) {
        self.program = program
        self.plan = plan
        self.preload = preload
    }
}
