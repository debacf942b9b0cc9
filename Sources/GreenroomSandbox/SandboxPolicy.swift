import Glibc

/// The rights of an isolated plugin, as the session file grants them.
///
/// The host and the runner have the same policy: the runner applies it, and the host uses it to
/// explain refusals.
package struct SandboxPolicy: Sendable, Equatable {
    /// The strictness of the sandbox.
    package enum Mode: String, Sendable, CaseIterable {
        /// All layers that the kernel has. The plugin does not start without the layers that
        /// enforce its grants.
        case on
        /// All layers that the kernel has. The plugin starts even if some are missing.
        case partial
        /// All layers. The plugin does not start if one is missing.
        case require
        /// No sandbox. The process still dies with its host and writes no core dump.
        case off
    }

    /// The strictness of the sandbox.
    package var mode: Mode
    /// The readable files and folders of the plugin's library and the runner. A folder includes
    /// everything below it.
    package var ownPaths: [String]
    /// Absolute paths of files and folders to read.
    package var readPaths: [String]
    /// Absolute paths of files and folders to read and write. The plugin may make and remove
    /// entries of these folders.
    package var writePaths: [String]
    /// The folder for temporary files, which the host makes and removes; nil for none.
    package var temporaryFolder: String?
    /// The most bytes of a temporary file, if no other folder is granted.
    package static let temporaryFileLimit = 16 << 20
    /// Absolute paths of devices, or of folders of devices, to read, write and `ioctl`.
    package var devicePaths: [String]
    /// Whether sockets are granted, including those of other programs on this machine.
    package var allowsNetwork: Bool
    /// Whether the plugin may make memory files, as PipeWire's library does.
    package var makesMemory: Bool
    /// The program that replaces the runner in its process once the sandbox is on, such as the interpreter
    /// of a script; nil for none.
    package var program: String?
    /// Limit of the process's own memory, in bytes. The host checks it; the kernel's limit is a
    /// backstop well above.
    package var memoryLimitBytes: UInt64

    /// Makes a policy that grants only the program itself.
    package init(
        mode: Mode = .on, ownPaths: [String] = [], readPaths: [String] = [],
        writePaths: [String] = [], devicePaths: [String] = [], allowsNetwork: Bool = false,
        makesMemory: Bool = false, program: String? = nil, memoryLimitBytes: UInt64 = 256_000_000
    ) {
        self.mode = mode
        self.ownPaths = ownPaths
        self.readPaths = readPaths
        self.writePaths = writePaths
        self.devicePaths = devicePaths
        self.allowsNetwork = allowsNetwork
        self.makesMemory = makesMemory
        self.program = program
        self.memoryLimitBytes = memoryLimitBytes
    }
}

extension SandboxPolicy {
    /// All grants: the common grants of every plugin, then this plugin's grants.
    package var grants: [PathGrant] {
        SystemPath.always.map { PathGrant(path: $0.path, access: $0.access) }
            + (allowsNetwork ? SystemPath.network : []).map {
                PathGrant(path: $0.path, access: $0.access)
            }
            + ownGrants
    }

    /// The grants of this plugin alone.
    var ownGrants: [PathGrant] {
        ((SystemPath.swiftRuntimeFolder.map { [$0] } ?? []) + ownPaths + readPaths)
            .map { PathGrant(path: $0, access: .read) }
            + (writePaths + (temporaryFolder.map { [$0] } ?? []))
            .map { PathGrant(path: $0, access: .write) }
            + devicePaths.map { PathGrant(path: $0, access: .device) }
            + (program.map { [$0] + Self.loaders } ?? []).map {
                PathGrant(path: $0, access: .execute)
            }
    }

    /// The system's dynamic loaders, which execute programs.
    private static let loaders: [String] = {
        let known: [String] = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
        return known.filter { (path: String) in access(path, F_OK) == 0 }
    }()
}
