import Glibc
import GreenroomPluginInterface

/// Splits a process's output into lines.
struct LineReader {
    private var rest: [UInt8] = []
    /// Whether all writers have closed the pipe.
    private(set) var hasEnded = false

    /// Limit of a line, in bytes. A longer line is split.
    private static let lineLimit = 2000

    /// Limit of bytes per read: a process that never stops writing must not block its reader.
    private static let readLimit = 64 * 1024
    /// Bytes that count as a line, to detect a flood of few long lines.
    private static let bytesPerLine = 200

    /// Reads from a non-blocking descriptor, up to a limit.
    ///
    /// - Returns: The number of lines, at least one per 200 bytes.
    @discardableResult
    mutating func read(_ descriptor: Int32, _ body: (String) -> Void) -> Int {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var lines = 0
        var total = 0
        while total < Self.readLimit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            hasEnded = hasEnded || count == 0
            guard count > 0 else { break }
            total += count
            for byte in buffer[..<count] {
                if byte != UInt8(ascii: "\n") { rest.append(byte) }
                guard byte == UInt8(ascii: "\n") || rest.count == Self.lineLimit else { continue }
                lines += 1
                flush(body)
            }
        }
        return max(lines, total / Self.bytesPerLine)
    }

    private mutating func flush(_ body: (String) -> Void) {
        guard !rest.isEmpty else { return }
        let text = rest.map { CChar(bitPattern: $0) } + [0]
        rest = []
        text.withUnsafeBufferPointer {
            if let base = $0.baseAddress {
                body(String(repairing: base, longest: Self.lineLimit))
            }
        }
    }
}
