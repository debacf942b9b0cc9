package import GreenroomModel
import GreenroomSchema

/// Splits bytes into control lines, however they are divided.
///
/// Memory is limited to one line of the maximum length.
package struct ControlLines: Sendable {
    /// A line with its number.
    package struct Numbered: Sendable {
        /// The number of the line, from 1; empty lines count, too.
        package var number: Int
        /// The command, or its error.
        package var result: Result<ControlLine, CommandError>
    }

    /// Limit of a line, in bytes.
    package static let maximumBytes = ControlParser.maximumBytes

    private var line: [UInt8] = []
    private var isTooLong = false
    private var count = 0

    /// Begins with nothing read.
    package init() {}

    /// Adds bytes.
    ///
    /// - Returns: The lines that end in them.
    package mutating func append(_ bytes: some Sequence<UInt8>) -> [Numbered] {
        var lines: [Numbered] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(take())
            } else if line.count < Self.maximumBytes {
                line.append(byte)
            } else {
                isTooLong = true
            }
        }
        return lines
    }

    /// Ends the input.
    ///
    /// - Returns: The last line, if it had no break.
    package mutating func finish() -> Numbered? {
        line.isEmpty ? nil : take()
    }

    private mutating func take() -> Numbered {
        defer {
            line.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        count += 1
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        do throws(CommandError) {
            return Numbered(number: count, result: .success(try read()))
        } catch {
            return Numbered(number: count, result: .failure(error))
        }
    }

    private func read() throws(CommandError) -> ControlLine {
        guard !isTooLong else {
            throw CommandError(
                "the line is too long. A command has at most \(Self.maximumBytes) bytes.")
        }
        guard let text = String(validating: line, as: UTF8.self) else {
            throw CommandError("the line is not UTF-8.")
        }
        return try ControlLine(text)
    }
}
