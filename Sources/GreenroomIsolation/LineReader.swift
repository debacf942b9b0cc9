import Glibc
import GreenroomPluginInterface

/// Takes lines out of what a process writes.
struct LineReader {
    private var rest: [UInt8] = []
    /// Whether nobody can write any more.
    private(set) var hasEnded = false

    /// The longest line; a longer one comes in parts.
    private static let longest = 2000

    /// How much is read at a time: a process that writes without end must not keep its reader.
    private static let most = 64 * 1024
    /// How many bytes count as a line of a flood, if fewer lines are in them.
    private static let lineBytes = 200

    /// Reads what there is, or a part of it.
    ///
    /// - Returns: How many lines that was, or would have been.
    @discardableResult
    mutating func read(_ descriptor: Int32, _ take: (String) -> Void) -> Int {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var lines = 0
        var total = 0
        while total < Self.most {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            hasEnded = hasEnded || count == 0
            guard count > 0 else { break }
            total += count
            for byte in buffer[..<count] {
                if byte != UInt8(ascii: "\n") { rest.append(byte) }
                guard byte == UInt8(ascii: "\n") || rest.count == Self.longest else { continue }
                lines += 1
                flush(take)
            }
        }
        return max(lines, total / Self.lineBytes)
    }

    private mutating func flush(_ take: (String) -> Void) {
        guard !rest.isEmpty else { return }
        let text = rest.map { CChar(bitPattern: $0) } + [0]
        rest = []
        text.withUnsafeBufferPointer {
            if let base = $0.baseAddress {
                take(String(repairing: base, longest: Self.longest))
            }
        }
    }
}
