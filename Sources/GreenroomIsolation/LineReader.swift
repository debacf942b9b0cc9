import Glibc
import GreenroomLoading

/// Takes lines out of what a process writes.
struct LineReader {
    private var rest: [UInt8] = []

    /// The longest line; a longer one comes in parts.
    private static let longest = 2000

    /// Reads what there is.
    mutating func read(_ descriptor: Int32, _ take: (String) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return }
            for byte in buffer[..<count] {
                if byte != UInt8(ascii: "\n") { rest.append(byte) }
                guard byte == UInt8(ascii: "\n") || rest.count == Self.longest else { continue }
                flush(take)
            }
        }
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
