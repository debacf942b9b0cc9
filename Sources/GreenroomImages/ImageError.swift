/// Why an image could not be read or written: the place, the rule, the cure.
public struct ImageError: Error, Hashable, Sendable {
    /// What went wrong, for a program.
    public enum Code: Sendable {
        /// The file could not be opened or read.
        case cannotRead
        /// The file is neither PNG nor JPEG, or not a file.
        case notAnImage
        /// The image, or its file, is larger than what is read.
        case tooLarge
        /// The image is sound, but of a variety that is not read here.
        case unsupported
        /// The file could not be written.
        case cannotWrite
        /// The image breaks a rule of its format, or is cut off.
        case damaged
    }

    /// What went wrong.
    public let code: Code
    /// The file.
    public let path: String
    /// What was found and which rule it breaks.
    public let rule: String
    /// What to do about it.
    public let cure: String

    init(_ code: Code, path: String, rule: String, cure: String) {
        self.code = code
        self.path = path
        self.rule = rule
        self.cure = cure
    }
}

extension ImageError: CustomStringConvertible {
    /// One line, such as `logo.gif: this is neither PNG nor JPEG; convert it to PNG`.
    public var description: String { "\(path): \(rule); \(cure)" }
}
