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
    }

    /// An absolute path.
    package var path: String
    package var access: Access
}
