/// Why a media file could not be read or written: the place, the rule, the cure.
public struct MediaFileError: Error, Hashable, Sendable {
    /// What went wrong, for a program. More may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind {
            case open, read, write, closedByReader, full, malformed, unsupported, argument
        }
        private let kind: Kind

        /// The file could not be opened or made.
        public static let cannotOpen = Code(kind: .open)
        /// The system failed to read.
        public static let cannotRead = Code(kind: .read)
        /// The system failed to write.
        public static let cannotWrite = Code(kind: .write)
        /// Whoever read the pipe has gone (`EPIPE`).
        public static let readerGone = Code(kind: .closedByReader)
        /// The disk or the quota is full (`ENOSPC`, `EDQUOT`, `EFBIG`).
        public static let full = Code(kind: .full)
        /// The file breaks a rule of its format.
        public static let malformed = Code(kind: .malformed)
        /// The file is sound, but of a variety that is not read here.
        public static let unsupported = Code(kind: .unsupported)
        /// The caller passed what does not fit the file.
        public static let badArgument = Code(kind: .argument)
    }

    /// What went wrong.
    public let code: Code
    /// The path, or a name such as "standard output".
    public let file: String
    /// Where in the file, in bytes from its start; nil where no place is to blame.
    public let offset: Int64?
    /// What was found and which rule it breaks.
    public let rule: String
    /// What to do about it.
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
