/// The SHA-256 of a library, which names its content.
package enum LibraryHash {
    /// In hexadecimal digits; nil if the file can't be read.
    package static func hexadecimal(of path: String) -> String? {
        guard let file = LibraryFile(path), let hash = file.hash() else { return nil }
        let digits = Array("0123456789abcdef")
        return String(hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
