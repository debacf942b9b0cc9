import Glibc
import GreenroomSystem
import SystemPackage

/// The error of a file that cannot be read as a shared library.
package struct ELFError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: Sendable {
        /// The library is broken or for another machine.
        case unusable
        /// The file is not a library for any machine.
        case notALibrary
    }

    package var code: Code
    package var description: String

    package init(_ description: String, code: Code = .unusable) {
        (self.code, self.description) = (code, description)
    }
}

/// The segments and the dynamic section of a shared library, read without executing it.
///
/// The file is untrusted: every offset and count is checked, so that any bytes are either read or refused.
package struct ELFLibrary: Sendable {
    /// A part of the file that the loader maps, or the dynamic section.
    package struct Segment: Equatable, Sendable {
        package var isLoaded: Bool
        package var isWritable: Bool
        package var isExecutable: Bool
        fileprivate var offset: UInt64
        fileprivate var address: UInt64
        fileprivate var byteCount: UInt64
    }

    package enum Tag: UInt64 {
        case needed = 1
        case hash = 4
        case strings = 5
        case symbols = 6
        case stringsSize = 10
        case oldSearchPath = 15
        case textRelocations = 22
        case newSearchPath = 29
        case flags = 30
        case gnuHash = 0x6fff_fef5
    }

    /// Memory segments, in the file's order.
    package private(set) var segments: [Segment] = []
    /// Whether the library declares that thread stacks need not be executable.
    package private(set) var hasPlainStack = false
    /// The names of the libraries that the library needs.
    package private(set) var needed: [String] = []
    /// The folders in which to search the needed libraries, in search order; empty ones included.
    package private(set) var searchFolders: [String] = []
    /// Whether the folders also apply to the needed libraries' own needs (`DT_RPATH`).
    package private(set) var isInherited = false

    private var entries: [(tag: UInt64, value: UInt64)] = []
    /// The names of libraries, folders and symbols.
    private var strings: [UInt8] = []

    /// `PT_LOAD`, `PT_DYNAMIC` and `PT_GNU_STACK`.
    private static let (loaded, dynamic, stack): (UInt64, UInt64, UInt64) = (1, 2, 0x6474_e551)
    /// Limits that no real library exceeds. They are low enough to read quickly.
    private static let segmentLimit: UInt64 = 1000
    private static let entryLimit: UInt64 = 10_000
    private static let stringsLimit: UInt64 = 64 << 20
    private static let longestName = 65536
    /// Limits of libraries and of folders, and of the length of the libraries' names in bytes.
    private static let nameLimit = 1000
    private static let nameBytesLimit = 1 << 20
    private static let tooManyNames = ELFError("names implausibly many libraries and folders")

    /// Reads a file; nil if it is not a shared library of 64 bits with the low byte first, or is broken.
    package init?(of path: String) {
        guard
            let file = try? FileDescriptor.reading(
                path, options: [.nonBlocking, FileDescriptor.OpenOptions(rawValue: O_NOCTTY)])
        else { return nil }
        defer { close(file.rawValue) }
        guard (try? file.stat())?.type == .regular,
            let library = try? ELFLibrary(part: { file.part($0, at: Int64(clamping: $1)) })
        else { return nil }
        self = library
    }

    /// - Parameter part: Returns bytes of the file, by count and offset; nil beyond its end.
    package init(part: (Int, UInt64) -> [UInt8]?) throws(ELFError) {
        guard let header = part(ELFHeader.byteCount, 0).flatMap(ELFHeader.init) else {
            throw ELFError("not an ELF file", code: .notALibrary)
        }
        guard header.isReadable else {
            throw ELFError("only libraries of 64 bits with the low byte first are checked")
        }
        guard header.isLibrary else {
            throw ELFError(
                "an ELF file, but not a shared library. Link it with -shared", code: .notALibrary)
        }
        func read(_ count: UInt64, at offset: UInt64) throws(ELFError) -> [UInt8] {
            guard let bytes = part(Int(count), offset) else {
                throw ELFError("truncated, or an offset is beyond its end")
            }
            return bytes
        }
        let table = header.segments
        guard table.step == 56, table.count <= Self.segmentLimit else {
            throw ELFError("its program header table is invalid")
        }
        let segments = try read(table.step * table.count, at: table.offset)
        for start in stride(from: 0, to: segments.count, by: 56) {
            addSegment { segments.number(start + $0, $1) }
        }
        guard let section = self.segments.first(where: { !$0.isLoaded })
        else { return }
        let dynamic = try read(
            min(section.byteCount / 16, Self.entryLimit) * 16, at: section.offset)
        for start in stride(from: 0, to: dynamic.count, by: 16) {
            let tag = dynamic.number(start, 8)
            if tag == 0 { break }
            entries.append((tag, dynamic.number(start + 8, 8)))
        }
        if let address = self[.strings], let size = self[.stringsSize], size <= Self.stringsLimit {
            strings = try read(size, at: try offset(of: address))
        }
        try readNames()
    }

    private mutating func addSegment(_ number: (Int, Int) -> UInt64) {
        let (kind, flags) = (number(0, 4), number(4, 4))
        if kind == Self.stack { hasPlainStack = flags & 1 == 0 }
        guard kind == Self.loaded || kind == Self.dynamic else { return }
        segments.append(
            Segment(
                isLoaded: kind == Self.loaded, isWritable: flags & 2 != 0,
                isExecutable: flags & 1 != 0, offset: number(8, 8), address: number(16, 8),
                byteCount: number(32, 8)))
    }

    private mutating func readNames() throws(ELFError) {
        var names: [String] = []
        var byteCount = 0
        for entry in entries where entry.tag == Tag.needed.rawValue {
            let name = try text(entry.value)
            byteCount += name.utf8.count
            guard names.count < Self.nameLimit, byteCount <= Self.nameBytesLimit else {
                throw Self.tooManyNames
            }
            names.append(name)
        }
        // The older tag applies only if the new tag is missing.
        isInherited = self[.newSearchPath] == nil
        if let path = self[.newSearchPath] ?? self[.oldSearchPath] {
            searchFolders = try text(path).split(
                separator: ":", omittingEmptySubsequences: false
            ).map(String.init)
        }
        needed = names.filter { !$0.isEmpty }
        guard searchFolders.count <= Self.nameLimit else { throw Self.tooManyNames }
    }

    /// The value of an entry of the dynamic section; the last one applies.
    package subscript(tag: Tag) -> UInt64? { entries.last { $0.tag == tag.rawValue }?.value }

    /// The place of an address in the file.
    package func offset(of address: UInt64) throws(ELFError) -> UInt64 {
        for segment in segments where segment.isLoaded && address >= segment.address {
            let (offset, overflows) = segment.offset.addingReportingOverflow(
                address - segment.address)
            if address - segment.address < segment.byteCount, !overflows { return offset }
        }
        throw ELFError("an address in it is outside the file")
    }

    /// A text in the table of names.
    package func text(_ offset: UInt64) throws(ELFError) -> String {
        guard offset < UInt64(strings.count) else {
            throw ELFError("a name in it is outside its string table")
        }
        let rest = strings[Int(offset)...].prefix(Self.longestName)
        guard let end = rest.firstIndex(of: 0) else {
            throw ELFError("a name in it is not terminated")
        }
        return String(decoding: rest[..<end], as: UTF8.self)
    }
}
