import Glibc
import GreenroomModel
import GreenroomSession
import GreenroomSandbox

extension SandboxPolicy {
    /// The grants of the session file, and the folders that the runner loads files from.
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
            ownFolders: [library, confinement.program].map(Self.folder),
            readPaths: plan.grants.read, writePaths: plan.grants.write,
            devicePaths: plan.grants.devices,
            allowsNetwork: plan.grants.network,
            memoryLimitBytes: UInt64(clamping: plan.memoryLimit.bytes))
    }

    /// The folder of a file after resolving links: a library's dependencies are beside the real
    /// file.
    private static func folder(of file: String) -> String {
        let resolved = realpath(file, nil)
        defer { free(resolved) }
        let path = resolved.map { String(cString: $0) } ?? file
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return parts.isEmpty ? "." : parts.count == 1 ? "/" : parts.joined(separator: "/")
    }
}
