import GreenroomSystem
import SystemPackage

/// The header of an ELF file: a library or a program. Every file is untrusted.
package struct ELFHeader {
    /// A table in the file.
    package struct Table {
        /// The place in the file.
        package var offset: UInt64
        /// The bytes of an entry.
        package var step: UInt64
        package var count: UInt64
    }

    /// The length of a header, in bytes.
    package static let byteCount = 64
    /// The length of the part that names the processor.
    private static let shortByteCount = 20

    private let bytes: [UInt8]

    /// - Parameter bytes: The begin of a file.
    /// - Returns: nil if it is not an ELF file.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.shortByteCount, bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46])
        else { return nil }
        self.bytes = bytes
    }

    init?(of path: String) {
        guard let bytes = try? FileDescriptor.contents(of: path, limit: Self.byteCount) else {
            return nil
        }
        self.init(bytes)
    }

    /// Whether the file has 64 bits and the low byte first. The host reads only such files.
    package var isReadable: Bool {
        bytes.count >= Self.byteCount && bytes[4] == 2 && bytes[5] == 1
    }

    package var isLibrary: Bool { number(16, 2) == 3 }

    package var segments: Table {
        Table(offset: number(32, 8), step: number(54, 2), count: number(56, 2))
    }

    package var sections: Table {
        Table(offset: number(40, 8), step: number(58, 2), count: number(60, 2))
    }

    /// The end of the table of sections, which linkers write last. A shorter file is truncated, and
    /// crashes the process that loads it.
    var end: UInt64 {
        let (end, overflow) = sections.offset.addingReportingOverflow(
            sections.step * sections.count)
        return overflow ? .max : end
    }

    private func number(_ place: Int, _ size: Int) -> UInt64 { bytes.number(place, size) }

    // MARK: The processor

    /// This program's processor, such as `x86-64`.
    package static var ownMachine: String { own?.machine ?? "another processor" }

    private static var own: ELFHeader? { ELFHeader(of: "/proc/self/exe") }

    /// The file's processor if it differs from this program's: the loader silently skips a library
    /// for another processor.
    package var otherMachine: String? {
        guard let own = Self.own, processor != own.processor else { return nil }
        return machine
    }

    /// `EI_CLASS`, `EI_DATA` and `e_machine`.
    private var processor: [UInt8] { [bytes[4], bytes[5], bytes[18], bytes[19]] }

    private var machine: String {
        let (low, high) = bytes[5] == 2 ? (bytes[19], bytes[18]) : (bytes[18], bytes[19])
        let machine = UInt16(high) << 8 | UInt16(low)
        let bits = bytes[4] == 1 ? 32 : 64
        return switch (machine, bits) {
        case (3, _): "x86 of 32 bits"
        case (40, _): "ARM of 32 bits"
        case (62, 32): "x32"
        case (62, _): "x86-64"
        case (183, _): "AArch64"
        case (243, _): "RISC-V of \(bits) bits"
        case (21, _): "PowerPC of 64 bits"
        case (22, _): "s390"
        case (258, _): "LoongArch"
        default: "processor \(machine) of \(bits) bits"
        }
    }
}

extension [UInt8] {
    /// Returns a number of some bytes, low byte first; 0 beyond the end.
    func number(_ start: Int, _ size: Int) -> UInt64 {
        guard start >= 0, start + size <= count else { return 0 }
        return self[start..<(start + size)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
