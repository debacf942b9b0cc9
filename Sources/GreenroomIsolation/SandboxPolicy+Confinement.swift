import GreenroomModel
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomSandbox

extension SandboxPolicy {
    /// The grants of the session file, and the files that the runner loads.
    init(_ confinement: Confinement, library: String) {
        let plan = confinement.plan
        let mode: Mode =
            switch plan.sandbox {
            case .on: .on
            case .partial: .partial
            case .require: .require
            case .off: .off
            }
        // The runner loads it if the library is an effect of frei0r.
        let bridge = Frei0r.bridge(beside: confinement.program).map(LibraryFiles.of) ?? []
        self.init(
            mode: mode,
            ownPaths: LibraryFiles.of(library) + LibraryFiles.of(confinement.program)
                + bridge,
            readPaths: plan.grants.read, writePaths: plan.grants.write,
            devicePaths: plan.grants.devices,
            allowsNetwork: plan.grants.network, makesMemory: plan.grants.pipewire,
            memoryLimitBytes: UInt64(clamping: plan.memoryLimit.bytes))
    }
}
