/// An error in reading or writing a media file: the place, the rule, the cure.
public struct MediaFileError: Error, Hashable, Sendable {
    /// The kind of the error. More may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind {
            case open, read, write, closedByReader, full, malformed, unsupported, argument
        }
        private let kind: Kind

        /// The file could not be opened or created.
        public static let cannotOpen = Code(kind: .open)
        /// Reading failed.
        public static let cannotRead = Code(kind: .read)
        /// Writing failed.
        public static let cannotWrite = Code(kind: .write)
        /// The reader of the pipe has closed it (`EPIPE`).
        public static let readerGone = Code(kind: .closedByReader)
        /// The disk or the quota is full (`ENOSPC`, `EDQUOT`, `EFBIG`).
        public static let full = Code(kind: .full)
        /// The file breaks a rule of its format.
        public static let malformed = Code(kind: .malformed)
        /// The file is valid, but a variant that is not supported.
        public static let unsupported = Code(kind: .unsupported)
        /// The caller's arguments do not fit the file.
        public static let badArgument = Code(kind: .argument)
    }

    /// The kind of the error.
    public let code: Code
    /// The path, or a name such as "standard output".
    public let file: String
    /// The offset in the file, in bytes; nil if the error has no place.
    public let offset: Int64?
    /// What was found, and the rule that it breaks.
    public let rule: String
    /// How to fix it.
    public let cure: String
    /// The system's `errno`, or 0.
    public let systemError: Int32

    init(
        _ code: Code, file: String, offset: Int64? = nil, rule: String, cure: String,
        systemError: Int32 = 0
    ) {
        self.code = code
        self.file = file
        self.offset = offset
        self.rule = rule
        self.cure = cure
        self.systemError = systemError
    }
}

extension MediaFileError: CustomStringConvertible {
    /// One line, such as `film.y4m, byte 10: there is no width (W); make the file again`.
    public var description: String {
        let place = offset.map { ", byte \($0)" } ?? ""
        return "\(file)\(place): \(rule); \(cure)"
    }
}
