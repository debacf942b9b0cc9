import Glibc

/// The text of a file that does not know its size, as those of `/proc`; nil if it can't be read.
func contentOfFile(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(file, &chunk, chunk.count)
        guard count >= 0 else { return nil }
        if count == 0 { return String(decoding: text, as: UTF8.self) }
        text += chunk[..<count]
    }
}
