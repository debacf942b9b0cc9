import GreenroomHost
import GreenroomSandbox

extension SandboxPolicy {
    /// What a session file grants to a plugin, and what it needs to be loaded.
    init(_ confinement: Confinement, library: String) {
        let plan = confinement.plan
        let mode: Mode =
            switch plan.sandbox {
            case .on: .on
            case .require: .require
            case .off: .off
            }
        self.init(
            mode: mode,
            ownFolders: [Self.folder(of: library), Self.folder(of: confinement.program)],
            readPaths: plan.read, writePaths: plan.write, devicePaths: plan.devices,
            allowsNetwork: plan.network, memoryLimitBytes: UInt64(clamping: plan.memoryLimitBytes))
    }

    private static func folder(of path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return parts.isEmpty ? "." : parts.count == 1 ? "/" : parts.joined(separator: "/")
    }
}
