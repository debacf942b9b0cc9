import GreenroomModel
import GreenroomPluginInterface
import GreenroomSandbox
import GreenroomSystem

extension SandboxPolicy {
    /// Creates a policy from the session file's grants and the files that the runner loads.
    init(_ confinement: Confinement, library: String) {
        self = SandboxPolicy(confinement).allowing(library)
    }

    /// The policy with the files of a library.
    func allowing(_ library: String) -> SandboxPolicy {
        var policy = self
        policy.ownPaths += LibraryFiles.of(library)
        return policy
    }

    /// Creates a policy without a library.
    init(_ confinement: Confinement) {
        let plan = confinement.plan
        let mode: Mode =
            switch plan.sandbox {
            case .on: .on
            case .partial: .partial
            case .require: .require
            case .off: .off
            }
        // The runner loads a bridge if the library is an effect.
        let bridges = EffectInterface.all.compactMap { $0.bridge(beside: confinement.program) }
            .flatMap(LibraryFiles.of)
        self.init(
            mode: mode,
            ownPaths: LibraryFiles.of(confinement.program) + bridges
                + (confinement.interpreter?.readPaths ?? []),
            readPaths: plan.grants.read, writePaths: plan.grants.write,
            devicePaths: plan.grants.devices,
            allowsNetwork: plan.grants.network, makesMemory: plan.grants.pipewire,
            program: confinement.interpreter.map { resolvedPath($0.program) ?? $0.program },
            memoryLimitBytes: UInt64(clamping: plan.memoryLimit.bytes))
    }
}
