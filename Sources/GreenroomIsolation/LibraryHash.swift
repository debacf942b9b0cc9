import GreenroomSystem

/// The SHA-256 of a library's file.
package enum LibraryHash {
    /// The hash in hexadecimal digits; nil if the file cannot be read.
    package static func hexadecimal(of path: String) -> String? {
        guard let file = LibraryFile(path) else { return nil }
        return file.hash()?.hexadecimal
    }
}
