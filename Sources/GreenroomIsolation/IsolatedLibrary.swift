package import GreenroomHost
package import GreenroomLoading
import GreenroomMedia

/// A library whose plugins live in processes of their own.
package struct IsolatedLibrary: PluginOrigin {
    package let path: String
    /// How its processes are confined.
    package let confinement: Confinement

    package init(path: String, confinement: Confinement) {
        self.path = path
        self.confinement = confinement
    }

    package func begin(
        _ descriptor: PluginDescriptor, in place: PluginPlace
    ) -> any PluginCalls {
        IsolatedPlugin(self, descriptor, place)
    }
}

/// What a runner may use, and where its program is.
package struct Confinement: Sendable {
    /// The runner's program.
    package var program: String

    package init(program: String) {
        self.program = program
    }
}
