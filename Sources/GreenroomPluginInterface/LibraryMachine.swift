import GreenroomSystem
import SystemPackage

/// The processors of libraries. The loader silently skips a library for another processor.
package enum LibraryMachine {
    /// This program's processor, such as `x86-64`.
    package static var own: String { name(number(of: "/proc/self/exe")) }

    /// Returns the processor of a library if it differs from this program's; nil also for a file
    /// that is not a library.
    static func another(of path: String) -> String? {
        guard let header = try? FileDescriptor.contents(of: path, limit: 20) else { return nil }
        return another(header: header)
    }

    /// Returns the processor of a library if it differs from this program's; nil also for a file
    /// that is not a library.
    ///
    /// - Parameter header: At least the first 20 bytes of the file.
    package static func another(header: [UInt8]) -> String? {
        guard let library = number(header: header), let own = number(of: "/proc/self/exe"),
            library != own
        else { return nil }
        return name(library)
    }

    /// `EI_CLASS`, `EI_DATA` and `e_machine` of an ELF file.
    private static func number(of path: String) -> [UInt8]? {
        (try? FileDescriptor.contents(of: path, limit: 20)).flatMap(number(header:))
    }

    private static func number(header: [UInt8]) -> [UInt8]? {
        guard header.count >= 20, header.starts(with: [0x7f] + Array("ELF".utf8))
        else { return nil }
        return [header[4], header[5], header[18], header[19]]
    }

    private static func name(_ number: [UInt8]?) -> String {
        guard let number else { return "another processor" }
        let isBig = number[1] == 2
        let machine =
            isBig
            ? UInt16(number[2]) << 8 | UInt16(number[3])
            : UInt16(number[3]) << 8 | UInt16(number[2])
        let bits = number[0] == 1 ? 32 : 64
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
