/// The rights of an isolated plugin, as the session file grants them.
///
/// Host and runner have the same policy: the runner applies it, the host explains refusals with it.
package struct SandboxPolicy: Sendable, Equatable {
    /// How strict the sandbox is.
    package enum Mode: String, Sendable, CaseIterable {
        /// All layers that the kernel has; without those that keep the plugin to its grants it does
        /// not start.
        case on
        /// All layers that the kernel has, whatever is missing.
        case partial
        /// All layers; without one of them the plugin does not start.
        case require
        /// None. The process still dies with its host and writes no core dump.
        case off
    }

    /// How strict the sandbox is.
    package var mode: Mode
    /// The files and folders that the plugin's library and the runner consist of. Readable, the folders
    /// with everything below them.
    package var ownPaths: [String]
    /// Files and folders to read; absolute.
    package var readPaths: [String]
    /// Files and folders to read and write; absolute. In a folder, files and folders may be made
    /// and removed.
    package var writePaths: [String]
    /// Devices, or folders of devices, to read, write and `ioctl`; absolute.
    package var devicePaths: [String]
    /// Whether sockets are granted, including those of other programs on this machine.
    package var allowsNetwork: Bool
    /// Whether the plugin may make memory files, as PipeWire's library does.
    package var makesMemory: Bool
    /// Limit of the process's own memory, in bytes. The host checks it; the kernel's limit is a
    /// backstop well above.
    package var memoryLimitBytes: UInt64

    /// Makes a policy that grants only the program itself.
    package init(
        mode: Mode = .on, ownPaths: [String] = [], readPaths: [String] = [],
        writePaths: [String] = [], devicePaths: [String] = [], allowsNetwork: Bool = false,
        makesMemory: Bool = false, memoryLimitBytes: UInt64 = 256_000_000
    ) {
        self.mode = mode
        self.ownPaths = ownPaths
        self.readPaths = readPaths
        self.writePaths = writePaths
        self.devicePaths = devicePaths
        self.allowsNetwork = allowsNetwork
        self.makesMemory = makesMemory
        self.memoryLimitBytes = memoryLimitBytes
    }
}

extension SandboxPolicy {
    /// All granted files: those of every plugin, then those of this one.
    package var grants: [PathGrant] {
        SystemPath.always.map { PathGrant(path: $0.path, access: $0.access) }
            + (allowsNetwork ? SystemPath.network : []).map {
                PathGrant(path: $0.path, access: $0.access)
            }
            + ownGrants
    }

    /// The files that only this plugin gets.
    var ownGrants: [PathGrant] {
        ((SystemPath.swiftRuntimeFolder.map { [$0] } ?? []) + ownPaths + readPaths)
            .map { PathGrant(path: $0, access: .read) }
            + writePaths.map { PathGrant(path: $0, access: .write) }
            + devicePaths.map { PathGrant(path: $0, access: .device) }
    }
}
