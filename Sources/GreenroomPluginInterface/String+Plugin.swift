import Glibc
import GreenroomMedia

extension String {
    /// Copies a plugin's text; nil if it is not UTF-8, has control characters, or is longer than a
    /// limit.
    package init?(pluginText text: UnsafePointer<CChar>, longest: Int) {
        let length = strnlen(text, longest + 1)
        guard length <= longest else { return nil }
        let bytes = UnsafeRawBufferPointer(start: text, count: length)
        guard let string = String(validating: bytes, as: UTF8.self), string.isPrintable
        else { return nil }
        self = string
    }

    /// Copies a plugin's text for display: cut at a limit; replaces invalid UTF-8 and control
    /// characters, so that no plugin can forge a line of the log.
    package init(repairing text: UnsafePointer<CChar>, longest: Int) {
        let length = strnlen(text, longest)
        let decoded = String(
            decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
        self = decoded.printable
    }
}
