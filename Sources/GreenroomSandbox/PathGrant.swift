/// Access to a file, or to a folder and everything below it.
package struct PathGrant: Sendable, Equatable {
    /// The kind of access.
    package enum Access: Sendable {
        /// Open for reading; list folders.
        case read
        /// Read and write; make and remove files and folders.
        case write
        /// Read, write and `ioctl`.
        case device
        /// Read, and execute instead of the process's program.
        case execute
    }

    /// An absolute path.
    package var path: String
    package var access: Access

    /// Makes a grant.
    package init(path: String, access: Access) {
        self.path = path
        self.access = access
    }

    /// The reason that no plugin should receive the grant, with the rule and the fix; nil if none.
    package var concern: String? {
        let path = canonicalPath(path) ?? path
        if let owner = PrivatePath.owner(of: path) {
            return "\(owner). A plugin that you can trust does not need it: remove it."
        }
        if access == .write, PrivatePath.isOfSystem(path) {
            return "write access there controls the machine. Give the plugin a separate folder."
        }
        if access == .device, PrivatePath.isOtherDevice(path) {
            return "not a camera, sound card or graphics card: a plugin does not need it."
        }
        if PrivatePath.isTooWide(path) {
            return "far more than a plugin needs. Grant a dedicated file or folder."
        }
        guard access == .write, PrivatePath.isFollowed(path) else { return nil }
        return "other programs execute or read files there. Grant a folder of the "
            + "plugin's own."
    }
}
