import Glibc
import GreenroomSystem
import SystemPackage

/// The dependencies of a shared library. The file is untrusted: every offset and count is checked.
package struct LibraryNeeds {
    /// The names of the dependencies.
    package private(set) var names: [String] = []
    /// The library's search folders for dependencies, in search order.
    package private(set) var folders: [String] = []
    /// Whether the folders also apply to the dependencies' own dependencies (`DT_RPATH`).
    package private(set) var isInherited = false

    /// `PT_LOAD` and `PT_DYNAMIC`.
    private static let (loaded, dynamic): (UInt64, UInt64) = (1, 2)
    /// `DT_NEEDED`, `DT_STRTAB`, `DT_STRSZ`, `DT_RPATH` and `DT_RUNPATH`.
    private static let (needed, names, namesSize, oldPath, newPath): (Int, Int, Int, Int, Int) = (
        1, 5, 10, 15, 29
    )
    private static let segmentLimit = 1000
    private static let entryLimit = 10_000
    private static let namesLimit = 16 << 20

    /// - Returns: nil if the file is not a 64-bit little-endian shared library.
    package init?(of path: String) {
        guard
            let file = try? FileDescriptor.reading(
                path, options: [.nonBlocking, FileDescriptor.OpenOptions(rawValue: O_NOCTTY)])
        else { return nil }
        defer { close(file.rawValue) }
        guard (try? file.stat())?.type == .regular,
            let header = file.part(ELFHeader.byteCount, at: 0).flatMap(ELFHeader.init),
            header.isReadable, header.isLibrary
        else { return nil }
        let segments = header.segments
        guard segments.step == 56, segments.count <= Self.segmentLimit,
            let table = file.part(
                Int(segments.step * segments.count), at: Int64(clamping: segments.offset))
        else { return nil }
        var loads: [(address: UInt64, size: UInt64, offset: UInt64)] = []
        var section: (offset: UInt64, size: UInt64)?
        for start in stride(from: 0, to: table.count, by: 56) {
            let (offset, size) = (table.number(start + 8, 8), table.number(start + 32, 8))
            switch table.number(start, 4) {
            case Self.loaded: loads.append((table.number(start + 16, 8), size, offset))
            case Self.dynamic: section = (offset, size)
            default: continue
            }
        }
        // A library without a dynamic section has no dependencies.
        guard let section,
            let entries = file.part(
                Int(min(section.size / 16, UInt64(Self.entryLimit))) * 16,
                at: Int64(clamping: section.offset))
        else { return }
        var tags: [(tag: Int, value: UInt64)] = []
        for start in stride(from: 0, to: entries.count, by: 16) {
            let tag = entries.number(start, 8)
            if tag == 0 { break }
            tags.append((Int(clamping: tag), entries.number(start + 8, 8)))
        }
        func value(_ tag: Int) -> UInt64? { tags.last { $0.tag == tag }?.value }
        guard let address = value(Self.names), let size = value(Self.namesSize),
            size <= UInt64(Self.namesLimit),
            let load = loads.first(where: {
                $0.address <= address && address - $0.address < $0.size
            }),
            let texts = file.part(
                Int(size), at: Int64(clamping: load.offset &+ (address - load.address)))
        else { return }
        func text(_ offset: UInt64) -> String {
            guard offset < UInt64(texts.count) else { return "" }
            return String(decoding: texts[Int(offset)...].prefix { $0 != 0 }, as: UTF8.self)
        }
        names = tags.filter { $0.tag == Self.needed }.map { text($0.value) }.filter { !$0.isEmpty }
        // The older tag applies only if the new tag is missing.
        isInherited = value(Self.newPath) == nil
        let path = value(Self.newPath) ?? value(Self.oldPath)
        folders = path.map { text($0).split(separator: ":").map(String.init) } ?? []
    }
}
