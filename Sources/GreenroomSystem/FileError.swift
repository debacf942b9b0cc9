package import SystemPackage

/// The reason why a file cannot be opened, read or written: the place, the rule and the fix.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the error.
    package enum Code: Sendable {
        /// The file exists, and is not to be replaced.
        case exists
        /// Another process is writing the file.
        case busy
        case cannotOpen
        case cannotRead
        case cannotWrite
        /// The reader of the pipe has closed it (`EPIPE`).
        case readerGone
        /// The disk or the quota is full (`ENOSPC`, `EDQUOT`, `EFBIG`).
        case full
        /// The file breaks a rule of its format, or is cut off.
        case malformed
        /// The file has another format.
        case wrongFormat
        /// The file is valid, but a variant that is not supported.
        case unsupported
        /// The file, or its image, is larger than the limit.
        case tooLarge
        /// The caller's arguments do not fit the file.
        case badArgument
    }

    package let code: Code
    /// The path, or a name such as "standard output".
    package let file: String
    /// The offset in the file, in bytes; nil if the error has no place.
    package let offset: Int64?
    /// The finding, and the rule that it breaks.
    package let rule: String
    /// The next step of the user.
    package let cure: String
    /// The error of the system call that failed.
    package let underlyingError: Errno?

    package init(
        _ code: Code, file: String, offset: Int64? = nil, rule: String, cure: String,
        underlyingError: Errno? = nil
    ) {
        self.code = code
        self.file = file
        self.offset = offset
        self.rule = rule
        self.cure = cure
        self.underlyingError = underlyingError
    }

    /// One line, such as `film.y4m, byte 10: there is no width (W); create the file again`.
    package var description: String {
        let place = offset.map { ", byte \($0)" } ?? ""
        return "\(file)\(place): \(rule); \(cure)"
    }
}
