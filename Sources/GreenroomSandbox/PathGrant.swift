/// What is granted for a file, or a folder and all that is below it.
package struct PathGrant: Sendable, Equatable {
    /// What may be done.
    package enum Access: Sendable {
        /// Opening for reading, listing.
        case read
        /// Reading; writing, making and removing of files and folders.
        case write
        /// Reading, writing, `ioctl`.
        case device
    }

    /// An absolute path.
    package var path: String
    /// What may be done.
    package var access: Access
}
