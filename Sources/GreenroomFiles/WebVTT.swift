package import GreenroomSystem

/// Writes captions to a WebVTT file. Each cue is whole when ``add(_:speaker:from:to:)`` returns.
///
/// Use it from one thread at a time.
package struct WebVTTWriter: ~Copyable, Sendable {
    private static let header = "WEBVTT\n\n"

    private let file: Descriptor
    private var byteCount: Int64 = 0

    /// Creates a file that only this user can read.
    ///
    /// - Parameters:
    ///   - path: The file. A link is not followed.
    ///   - replaces: Whether the file may exist.
    package init(path: String, replaces: Bool) throws(FileError) {
        let file = try Descriptor.creating(path, replaces: replaces)
        try Self.write(Self.header, to: file, at: 0)
        self.file = file
        byteCount = Int64(Self.header.utf8.count)
    }

    /// Appends a cue.
    ///
    /// - Parameters:
    ///   - start: Nanoseconds from the beginning of the media.
    ///   - end: The same.
    package mutating func add(
        _ text: String, speaker: String?, from start: Int64, to end: Int64
    ) throws(FileError) {
        let cue = Self.cue(text, speaker: speaker, from: start, to: end)
        do throws(FileError) {
            try Self.write(cue, to: file, at: byteCount)
        } catch {
            try? file.setByteCount(byteCount)
            throw error
        }
        byteCount += Int64(cue.utf8.count)
    }

    /// Closes the file.
    package consuming func close() throws(FileError) { try file.close() }

    private static func write(
        _ text: String, to file: borrowing Descriptor, at offset: Int64
    ) throws(FileError) {
        let bytes = Array(text.utf8)
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(FileError) in try file.write(bytes, at: offset) }
        }
        try result.get()
    }

    /// The lines of a cue. A text has no markup: its special characters are escaped.
    static func cue(
        _ text: String, speaker: String?, from start: Int64, to end: Int64
    ) -> String {
        let voice = speaker.map { "<v \(escaped($0))>" } ?? ""
        return "\(time(start)) --> \(time(max(start, end)))\n\(voice)\(escaped(text))\n\n"
    }

    /// A text on one line, because an empty line would end the cue.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// `01:02:03.004`.
    private static func time(_ nanoseconds: Int64) -> String {
        let milliseconds = max(nanoseconds, 0) / 1_000_000
        func digits(_ number: Int64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(count - text.count, 0)) + text
        }
        let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        let (seconds, rest) = (milliseconds / 1000 % 60, milliseconds % 1000)
        return "\(digits(hours, 2)):\(digits(minutes, 2)):\(digits(seconds, 2)).\(digits(rest, 3))"
    }
}
