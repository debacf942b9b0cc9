/// What an isolated plugin may do: what the session file grants, in plain values.
///
/// Host and runner hold the same policy: the runner applies it, the host explains refusals by
/// it.
package struct SandboxPolicy: Sendable, Equatable {
    /// Whether there is a sandbox.
    package enum Mode: String, Sendable, CaseIterable {
        /// All the layers that the kernel has.
        case on
        /// All the layers; the plugin is not started where one is missing.
        case require
        /// None. The process still dies with its host, and leaves no core dump.
        case off
    }

    /// Whether there is a sandbox.
    package var mode: Mode
    /// Folders that the program itself is in: that of the plugin's library and that of the
    /// runner. Readable, with all that is below.
    package var ownFolders: [String]
    /// Files and folders that are granted for reading; absolute.
    package var readPaths: [String]
    /// Files and folders that are granted for reading and writing; absolute. Below a folder
    /// files and folders may be made and removed.
    package var writePaths: [String]
    /// Devices, or folders of devices, that are granted for reading, writing and `ioctl`;
    /// absolute.
    package var devicePaths: [String]
    /// Whether sockets are granted, those of other programs on this machine included.
    package var allowsNetwork: Bool
    /// What the host lets the process have for itself, in bytes. The host watches it; the limit
    /// that the process gets is a backstop well above.
    package var memoryLimitBytes: UInt64

    /// Makes a policy that grants nothing but the program itself.
    package init(
        mode: Mode = .on, ownFolders: [String] = [], readPaths: [String] = [],
        writePaths: [String] = [], devicePaths: [String] = [], allowsNetwork: Bool = false,
        memoryLimitBytes: UInt64 = 256_000_000
    ) {
        self.mode = mode
        self.ownFolders = ownFolders
        self.readPaths = readPaths
        self.writePaths = writePaths
        self.devicePaths = devicePaths
        self.allowsNetwork = allowsNetwork
        self.memoryLimitBytes = memoryLimitBytes
    }
}

extension SandboxPolicy {
    /// All that is granted in the file system: what every plugin needs, then this one's own.
    package var grants: [PathGrant] {
        SystemPath.always.map { PathGrant(path: $0.path, access: $0.access) }
            + (allowsNetwork ? SystemPath.network : []).map {
                PathGrant(path: $0.path, access: $0.access)
            }
            + ownGrants
    }

    /// What is granted to this plugin alone.
    var ownGrants: [PathGrant] {
        ((SystemPath.swiftRuntimeFolder.map { [$0] } ?? []) + ownFolders + readPaths)
            .map { PathGrant(path: $0, access: .read) }
            + writePaths.map { PathGrant(path: $0, access: .write) }
            + devicePaths.map { PathGrant(path: $0, access: .device) }
    }
}
