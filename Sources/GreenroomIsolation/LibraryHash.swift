/// The SHA-256 of a library's file.
package enum LibraryHash {
    /// In hexadecimal digits; nil if the file can't be read.
    package static func hexadecimal(of path: String) -> String? {
        guard let file = LibraryFile(path) else { return nil }
        return file.hash()?.hexadecimal
    }
}
