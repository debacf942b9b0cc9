import GreenroomSystem
import SystemPackage

/// The actual and the expected length of a library. Loading a truncated file crashes the process.
struct LibraryLength {
    let bytes: Int64
    /// The end of the library's table of sections, which linkers write last.
    let made: UInt64

    var isCutOff: Bool { made > UInt64(clamping: bytes) }

    /// Reads the head of a library of this machine.
    ///
    /// - Returns: nil if the file cannot be read, or is not a 64-bit little-endian ELF file.
    init?(of path: String) {
        guard let file = try? FileDescriptor.reading(path) else { return nil }
        defer { try? file.close() }
        guard let length = try? file.stat().size, let head = file.part(64, at: 0),
            head.starts(with: [0x7f] + Array("ELF".utf8) + [2, 1])
        else { return nil }
        func number(_ place: Range<Int>) -> UInt64 {
            head[place].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        bytes = length
        // e_shoff, e_shentsize and e_shnum.
        let (end, overflow) = number(40..<48)
            .addingReportingOverflow(number(58..<60) * number(60..<62))
        made = overflow ? .max : end
    }
}
