import GreenroomMedia
import GreenroomPluginInterface

/// The error of a file that cannot be read as a shared library.
struct ELFError: Error, Equatable, Sendable, CustomStringConvertible {
    enum Code: Sendable {
        /// The library is broken or for another machine.
        case unusable
        /// The file is not a library for any machine.
        case notALibrary
    }

    var code: Code
    var description: String

    init(_ description: String, code: Code = .unusable) {
        (self.code, self.description) = (code, description)
    }
}

/// A shared library as a file, read without executing it.
///
/// Checks every offset and count before use, so that any bytes are either read or refused.
struct ELFFile: Sendable {
    /// A part of the file that the loader maps.
    struct Segment: Equatable, Sendable {
        var isLoaded: Bool
        var isWritable: Bool
        var isExecutable: Bool
        fileprivate var fileOffset: UInt64
        fileprivate var address: UInt64
        fileprivate var fileByteCount: UInt64
    }

    /// A name that the library exports or imports.
    struct Symbol: Equatable, Sendable {
        var name: String
        /// Whether another definition or none is also valid. The symbol is weak, or unique in the
        /// process, like g++'s templates and inline functions.
        var isWeak: Bool
    }

    /// Memory segments, in the file's order.
    private(set) var segments: [Segment] = []
    /// Whether the library declares that thread stacks need not be executable.
    private(set) var hasPlainStack = false
    /// The names of the libraries that the library needs.
    private(set) var needed: [String] = []
    /// The folders in which to search the needed libraries, in search order.
    private(set) var searchFolders: [String] = []
    /// Whether the loader must write to the library's code.
    private(set) var hasTextRelocations = false
    /// The symbols that the library exports.
    private(set) var exports: [Symbol] = []
    /// The symbols that the library imports.
    private(set) var imports: [Symbol] = []

    private enum Tag: UInt64 {
        case needed = 1
        case hash = 4
        case stringTable = 5
        case symbolTable = 6
        case stringTableSize = 10
        case searchPath = 15
        case textRelocations = 22
        case newSearchPath = 29
        case flags = 30
        case gnuHash = 0x6fff_fef5
    }

    /// `DF_TEXTREL`
    private static let textRelocationsFlag: UInt64 = 4
    /// Limits that no real library exceeds. They are low enough to read quickly.
    private static let segmentLimit = 1000
    private static let dynamicEntryLimit = 10_000
    private static let symbolLimit = 2_000_000
    private static let longestName = 65536
    /// Limit of libraries and folders together, and of the length of their names in bytes.
    private static let nameLimit = 1000
    private static let nameBytesLimit = 1 << 20

    private let bytes: [UInt8]

    /// Reads a file's bytes.
    init(_ bytes: [UInt8]) throws(ELFError) {
        self.bytes = bytes
        try readHeader()
        let dynamic = try readDynamicEntries()
        try readSymbols(dynamic)
    }

    // MARK: Header and segments

    private mutating func readHeader() throws(ELFError) {
        guard bytes.count >= ELFHeader.byteCount,
            let header = ELFHeader(Array(bytes.prefix(ELFHeader.byteCount)))
        else {
            throw ELFError("not an ELF file", code: .notALibrary)
        }
        if let machine = header.otherMachine {
            throw ELFError(
                "built for \(machine), and this machine is "
                    + "\(ELFHeader.ownMachine). Build it for this machine")
        }
        guard header.isReadable else {
            throw ELFError(
                "only libraries of 64 bits with the low byte first are checked")
        }
        guard header.isLibrary else {
            throw ELFError(
                "an ELF file, but not a shared library. Link it with -shared",
                code: .notALibrary)
        }
        let table = header.segments
        guard table.step >= 56, table.count <= Self.segmentLimit else {
            throw ELFError("its program header table is invalid")
        }
        for index in 0..<table.count {
            let place = try sum(table.offset, index * table.step)
            let (kind, flags) = (
                try number(place, as: UInt32.self), try number(try sum(place, 4), as: UInt32.self)
            )
            if kind == Self.stackSegment { hasPlainStack = flags & 1 == 0 }
            guard kind == Self.loadedSegment || kind == Self.dynamicSegment else { continue }
            segments.append(
                Segment(
                    isLoaded: kind == Self.loadedSegment, isWritable: flags & 2 != 0,
                    isExecutable: flags & 1 != 0,
                    fileOffset: try number(try sum(place, 8)),
                    address: try number(try sum(place, 16)),
                    fileByteCount: try number(try sum(place, 32))))
        }
    }

    private static let loadedSegment: UInt32 = 1
    private static let dynamicSegment: UInt32 = 2
    private static let stackSegment: UInt32 = 0x6474_e551

    /// The file offset of an address.
    private func place(ofAddress address: UInt64) throws(ELFError) -> UInt64 {
        for segment in segments where segment.isLoaded && address >= segment.address {
            let offset = address - segment.address
            if offset < segment.fileByteCount { return try sum(segment.fileOffset, offset) }
        }
        throw ELFError("an address in it is outside the file")
    }

    // MARK: The dynamic section

    private mutating func readDynamicEntries() throws(ELFError) -> [UInt64: UInt64] {
        guard let dynamic = segments.first(where: { !$0.isLoaded }) else {
            throw ELFError("has no dynamic section. Link it with -shared")
        }
        var values: [UInt64: UInt64] = [:]
        var names: [(tag: Tag, offset: UInt64)] = []
        for index in 0..<min(Int(clamping: dynamic.fileByteCount / 16), Self.dynamicEntryLimit) {
            let place = try sum(dynamic.fileOffset, UInt64(index) * 16)
            let tag = try number(place, as: UInt64.self)
            let value = try number(try sum(place, 8), as: UInt64.self)
            if tag == 0 { break }
            values[tag] = value
            switch Tag(rawValue: tag) {
            case .needed: names.append((.needed, value))
            case .searchPath: names.append((.searchPath, value))
            case .newSearchPath: names.append((.newSearchPath, value))
            case .textRelocations: hasTextRelocations = true
            case .flags:
                hasTextRelocations = hasTextRelocations || value & Self.textRelocationsFlag != 0
            default: continue
            }
        }
        // The old tag applies only without the new one.
        let isNew = names.contains { $0.tag == .newSearchPath }
        var byteCount = 0
        for (tag, offset) in names {
            let name = try text(offset, values)
            byteCount += name.utf8.count
            guard names.count <= Self.nameLimit, byteCount <= Self.nameBytesLimit else {
                throw ELFError("names implausibly many libraries and folders")
            }
            switch tag {
            case .needed: needed.append(name)
            case .searchPath where isNew: continue
            default:
                searchFolders += name.split(separator: ":", omittingEmptySubsequences: false)
                    .map(String.init)
            }
        }
        return values
    }

    /// A text in the dynamic string table.
    private func text(_ offset: UInt64, _ dynamic: [UInt64: UInt64]) throws(ELFError) -> String {
        guard let table = dynamic[Tag.stringTable.rawValue],
            let size = dynamic[Tag.stringTableSize.rawValue], offset < size
        else { throw ELFError("a name in it is outside its string table") }
        let start = try sum(try place(ofAddress: table), offset)
        guard start < UInt64(bytes.count) else {
            throw ELFError("a name in it is not in the file")
        }
        let rest = bytes[Int(start)...].prefix(
            Int(clamping: min(size - offset, UInt64(Self.longestName))))
        guard let end = rest.firstIndex(of: 0) else {
            throw ELFError("a name in it is not terminated")
        }
        return String(decoding: rest[..<end], as: UTF8.self).printable
    }

    // MARK: Symbols

    /// `STB_WEAK` and `STB_GNU_UNIQUE`.
    private static let (weak, unique): (UInt8, UInt8) = (2, 10)

    private mutating func readSymbols(_ dynamic: [UInt64: UInt64]) throws(ELFError) {
        guard let table = dynamic[Tag.symbolTable.rawValue] else { return }
        let start = try place(ofAddress: table)
        let count = try symbolCount(dynamic)
        guard count <= Self.symbolLimit else {
            throw ELFError("its symbol table is invalid")
        }
        // The first symbol is a placeholder.
        for index in 0..<count where index > 0 {
            let place = try sum(start, UInt64(index) * 24)
            let binding = try number(try sum(place, 4), as: UInt8.self) >> 4
            // Local symbols are not visible to others.
            guard binding != 0 else { continue }
            let visibility = try number(try sum(place, 5), as: UInt8.self) & 3
            let section = try number(try sum(place, 6), as: UInt16.self)
            let name = try text(UInt64(try number(place, as: UInt32.self)), dynamic)
            let symbol = Symbol(
                name: name, isWeak: binding == Self.weak || binding == Self.unique)
            if section == 0 {
                imports.append(symbol)
            } else if visibility == 0 || visibility == 3 {
                exports.append(symbol)
            }
        }
    }

    /// The number of symbols. Only the hash tables contain it.
    private func symbolCount(_ dynamic: [UInt64: UInt64]) throws(ELFError) -> Int {
        if let address = dynamic[Tag.hash.rawValue] {
            let place = try place(ofAddress: address)
            return Int(try number(try sum(place, 4), as: UInt32.self))
        }
        guard let address = dynamic[Tag.gnuHash.rawValue] else { return 0 }
        let place = try place(ofAddress: address)
        let buckets = UInt64(try number(place, as: UInt32.self))
        let first = UInt64(try number(try sum(place, 4), as: UInt32.self))
        let filters = UInt64(try number(try sum(place, 8), as: UInt32.self))
        let bucketsPlace = try sum(place, 16 + filters * 8)
        let chains = try sum(bucketsPlace, buckets * 4)
        var last: UInt64 = 0
        guard buckets <= UInt64(Self.symbolLimit) else {
            throw ELFError("invalid hash table")
        }
        for index in 0..<buckets {
            last = max(last, UInt64(try number(try sum(bucketsPlace, index * 4), as: UInt32.self)))
        }
        guard last >= first else { return Int(first) }
        // The last bucket's chain ends at the last symbol, marked by its lowest bit.
        while try number(try sum(chains, (last - first) * 4), as: UInt32.self) & 1 == 0 {
            last += 1
        }
        return Int(last) + 1
    }

    // MARK: Its code

    /// `SHT_SYMTAB` and `STT_FUNC`.
    private static let (allSymbols, function): (UInt32, UInt8) = (2, 2)
    /// The size of an entry in the table of sections.
    private static let sectionBytes: UInt64 = 64

    /// The function at an address, from the table of all symbols, which `strip` removes; nil if
    /// unknown.
    func function(at address: UInt64) -> String? {
        try? functionName(at: address)
    }

    private func functionName(at address: UInt64) throws(ELFError) -> String? {
        let table = try number(40, as: UInt64.self)
        for index in 0..<UInt64(try number(60, as: UInt16.self)) {
            let section = try sum(table, index * Self.sectionBytes)
            guard try number(try sum(section, 4), as: UInt32.self) == Self.allSymbols else {
                continue
            }
            let symbols = try number(try sum(section, 24), as: UInt64.self)
            let count = try number(try sum(section, 32), as: UInt64.self) / 24
            let link = UInt64(try number(try sum(section, 40), as: UInt32.self))
            let names = try number(
                try sum(try sum(table, link * Self.sectionBytes), 24), as: UInt64.self)
            for index in 0..<min(count, UInt64(Self.symbolLimit)) {
                let symbol = try sum(symbols, index * 24)
                let value = try number(try sum(symbol, 8), as: UInt64.self)
                let size = try number(try sum(symbol, 16), as: UInt64.self)
                guard value <= address, address - value < size,
                    try number(try sum(symbol, 4), as: UInt8.self) & 15 == Self.function
                else { continue }
                let start = try sum(names, UInt64(try number(symbol, as: UInt32.self)))
                guard start < UInt64(bytes.count) else { return nil }
                let name = bytes[Int(start)...].prefix(Self.longestName).prefix { $0 != 0 }
                return String(decoding: name, as: UTF8.self).printable
            }
        }
        return nil
    }

    /// Whether the file contains a text.
    func contains(_ text: String) -> Bool { bytes.contains(Array(text.utf8)) }

    // MARK: Numbers

    private func number<Number: FixedWidthInteger>(
        _ place: UInt64, as type: Number.Type = Number.self
    ) throws(ELFError) -> Number {
        let size = MemoryLayout<Number>.size
        guard place <= UInt64(bytes.count), UInt64(bytes.count) - place >= UInt64(size) else {
            throw ELFError("truncated, or an offset is beyond its end")
        }
        var value: Number = 0
        for index in (0..<size).reversed() {
            value = value << 8 | Number(truncatingIfNeeded: bytes[Int(place) + index])
        }
        return value
    }

    private func sum(_ first: UInt64, _ second: UInt64) throws(ELFError) -> UInt64 {
        let (sum, overflows) = first.addingReportingOverflow(second)
        guard !overflows else { throw ELFError("an offset in it is beyond its end") }
        return sum
    }
}
