import GreenroomMedia
import GreenroomPluginInterface

/// A shared library as a file, read without executing it.
///
/// Checks every offset and count before use, so that any bytes are either read or refused.
struct ELFFile: Sendable {
    /// A name that the library exports or imports.
    struct Symbol: Equatable, Sendable {
        var name: String
        /// Whether another definition or none is also valid. The symbol is weak, or unique in the
        /// process, like g++'s templates and inline functions.
        var isWeak: Bool
    }

    /// Its segments and its dynamic section.
    let library: ELFLibrary
    /// The names of the libraries that the library needs.
    var needed: [String] { library.needed.map(\.printable) }
    /// The folders in which to search the needed libraries, in search order.
    var searchFolders: [String] { library.searchFolders.map(\.printable) }
    /// Whether the loader must write to the library's code.
    var hasTextRelocations: Bool {
        library[.textRelocations] != nil
            || library[.flags].map { $0 & Self.textRelocationsFlag != 0 } ?? false
    }
    /// The symbols that the library exports.
    private(set) var exports: [Symbol] = []
    /// The symbols that the library imports.
    private(set) var imports: [Symbol] = []

    /// `DF_TEXTREL`
    private static let textRelocationsFlag: UInt64 = 4
    /// Limits that no real library exceeds.
    private static let symbolLimit = 2_000_000
    private static let longestName = 65536

    private let bytes: [UInt8]

    /// Reads a file's bytes.
    init(_ bytes: [UInt8]) throws(ELFError) {
        if let machine = ELFHeader(Array(bytes.prefix(ELFHeader.byteCount)))?.otherMachine {
            throw ELFError(
                "built for \(machine), and this machine is "
                    + "\(ELFHeader.ownMachine). Build it for this machine")
        }
        library = try ELFLibrary { count, offset in
            guard offset <= UInt64(bytes.count), count <= bytes.count - Int(offset) else {
                return nil
            }
            return Array(bytes[Int(offset)..<(Int(offset) + count)])
        }
        self.bytes = bytes
        guard library.segments.contains(where: { !$0.isLoaded }) else {
            throw ELFError("has no dynamic section. Link it with -shared")
        }
        try readSymbols()
    }

    // MARK: Symbols

    /// `STB_WEAK` and `STB_GNU_UNIQUE`.
    private static let (weak, unique): (UInt8, UInt8) = (2, 10)

    private mutating func readSymbols() throws(ELFError) {
        guard let table = library[.symbols] else { return }
        let start = try library.offset(of: table)
        let count = try symbolCount()
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
            let name = try library.text(UInt64(try number(place, as: UInt32.self))).printable
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
    private func symbolCount() throws(ELFError) -> Int {
        if let address = library[.hash] {
            let place = try library.offset(of: address)
            return Int(try number(try sum(place, 4), as: UInt32.self))
        }
        guard let address = library[.gnuHash] else { return 0 }
        let place = try library.offset(of: address)
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
