import Glibc
import GreenroomMedia
import Synchronization
import GreenroomSystem
import TestSupport
import Testing

@testable import GreenroomIsolation
@testable import GreenroomPluginInterface

/// Each file is scanned once, whatever happens to the cache's files.
@Suite(.ownThreads) struct LibraryScansTests {
    /// Counts its scans, and returns a given result.
    private final class Scanner: Sendable {
        private struct State {
            var paths: [String] = []
            var result: Result<PluginDescriptor, LoadError>
        }

        private let state: Mutex<State>

        init(_ result: Result<PluginDescriptor, LoadError> = .success(.example())) {
            state = Mutex(State(result: result))
        }

        var count: Int { state.withLock { $0.paths.count } }

        func find(_ result: Result<PluginDescriptor, LoadError>) {
            state.withLock { $0.result = result }
        }

        func scan(_ path: String, _ limit: Int64) throws(LoadError) -> LibraryDescription {
            let result = state.withLock { state in
                state.paths.append(path)
                return state.result
            }
            return LibraryDescription(path: path, minorVersion: 3, descriptors: [try result.get()])
        }
    }

    private let folder: TemporaryFolder
    private let cache: ScanCache
    private let scanner = Scanner()
    private let library: String

    init() throws {
        folder = try TemporaryFolder()
        cache = ScanCache(folder: folder("cache/plugins"))
        library = try folder.write("a.so", "content")
    }

    /// A time at which new files have settled.
    private static let later = LibraryScans.wallTime + 3_600_000_000_000

    /// Like another process of the host.
    private func scans(
        _ cache: ScanCache? = nil, rescans: Bool = false, at time: Int64 = later,
        scan: LibraryScans.Examination? = nil
    ) -> LibraryScans {
        LibraryScans(
            cache: cache ?? self.cache, rescans: rescans, now: { time },
            scan: scan ?? scanner.scan)
    }

    private func examine(_ path: String? = nil, rescans: Bool = false, at time: Int64 = later)
        -> ScanCache.ScanResult
    {
        let scans = self.scans(rescans: rescans, at: time)
        return Result { () throws(LoadError) in try scans.examine(path ?? library) }
    }

    /// The names of the cached results.
    private var findings: [String] {
        guard let directory = opendir(folder("cache/plugins")) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    // MARK: Known results

    @Test func `the result of a scan is cached for the next process`() throws {
        let first = try examine().get()
        let second = try examine().get()
        #expect(scanner.count == 1)
        #expect(first == second)
        #expect(second.path == library && second.minorVersion == 3)
        #expect(second.descriptors == [.example()])
    }

    @Test func `a process scans a library once, even without a cache`() throws {
        let scans = LibraryScans(cache: nil, scan: scanner.scan)
        for _ in 0..<3 { #expect(try scans.examine(library).path == library) }
        #expect(scanner.count == 1)
    }

    @Test func `a cached result applies to a hard link, with the link's path`() throws {
        #expect(link(library, folder("b.so")) == 0)
        _ = try examine().get()
        #expect(try examine(folder("b.so")).get().path == folder("b.so"))
        #expect(scanner.count == 1)
    }

    @Test func `another file is scanned again, even with equal size and times`() throws {
        _ = try examine().get()
        var status = stat()
        #expect(stat(library, &status) == 0)
        let other = try folder.write("new.so", "CONTENT")
        let times = [status.st_atim, status.st_mtim]
        #expect(utimensat(AT_FDCWD, other, times, 0) == 0)
        #expect(rename(other, library) == 0)
        _ = try examine().get()
        #expect(scanner.count == 2)
    }

    @Test func `a file that changed a second ago is not cached`() throws {
        let changed = try #require(LibraryFile.Identity(of: library)).changedNanoseconds
        for _ in 0..<2 { _ = try examine(at: changed + 1_000_000_000).get() }
        #expect(scanner.count == 2 && findings.isEmpty)
    }

    @Test func `a file that changes during its scan is not cached`() throws {
        let scans = self.scans { [scanner] path, limit throws(LoadError) in
            #expect(truncate(path, 3) == 0)
            return try scanner.scan(path, limit)
        }
        _ = try scans.examine(library)
        #expect(findings.isEmpty)
        _ = try examine().get()
        #expect(scanner.count == 2)
    }

    @Test func `the result of a rescan replaces the cached one`() throws {
        _ = try examine().get()
        scanner.find(.success(.example(name: "Newer")))
        #expect(try examine().get().descriptors[0].name == "Example")
        #expect(try examine(rescans: true).get().descriptors[0].name == "Newer")
        #expect(try examine().get().descriptors[0].name == "Newer")
        #expect(scanner.count == 2)
    }

    // MARK: Failures

    @Test(arguments: [
        (LoadError.Code.wrongMajor, true), (.badEntry, true), (.badDescriptor, true),
        (.unknownKind, true), (.notAPlugin, false), (.missingLibrary, false), (.noRunner, false),
        (.crashes, false), (.hangs, false),
    ])
    func `a failure of the library itself is cached`(code: LoadError.Code, isKept: Bool) {
        let error = LoadError(code: code, place: library, explanation: "for a reason")
        scanner.find(.failure(error))
        #expect(examine() == .failure(error))
        #expect(examine() == .failure(error))
        #expect(scanner.count == (isKept ? 1 : 2))
    }

    @Test func `the result that a library exports no entry is cached`() {
        scanner.find(.failure(.withoutEntry(library)))
        for _ in 0..<2 { #expect(examine() == .failure(.withoutEntry(library))) }
        #expect(scanner.count == 1)
    }

    @Test(arguments: [LoadError.Code.crashes, .hangs])
    func `a library that crashed or hung is scanned again only by the next process`(
        code: LoadError.Code
    ) throws {
        let error = LoadError(code: code, place: library, explanation: "for a reason.")
        scanner.find(.failure(error))
        let scans = self.scans()
        for _ in 0..<2 { #expect(throws: error) { try scans.examine(library) } }
        #expect(scanner.count == 1 && findings.isEmpty)
        // The machine was busy.
        scanner.find(.success(.example()))
        #expect(try examine().get().descriptors == [.example()])
        #expect(scanner.count == 2)
    }

    @Test func `a library that hung is scanned again with a longer limit, and only then`() throws {
        let error = LoadError(code: .hangs, place: library, explanation: "for a reason.")
        scanner.find(.failure(error))
        let scans = self.scans()
        for limit in [5, 5, 2] as [Int64] {
            #expect(throws: error) { try scans.examine(library, within: limit) }
        }
        #expect(scanner.count == 1)
        scanner.find(.success(.example()))
        for limit in [6, 7, 5] as [Int64] {
            #expect(try scans.examine(library, within: limit).descriptors == [.example()])
        }
        #expect(scanner.count == 2)
    }

    @Test func `an unreadable file is reported by the scan`() {
        let error = LoadError(code: .notFound, place: folder("absent.so"), explanation: "no file")
        scanner.find(.failure(error))
        #expect(examine(folder("absent.so")) == .failure(error))
        mkfifo(folder("pipe.so"), 0o600)
        #expect(examine(folder("pipe.so")) == .failure(error))
        #expect(scanner.count == 2 && findings.isEmpty)
    }

    // MARK: Bad caches

    @Test func `a modified cache file is ignored`() throws {
        _ = try examine().get()
        let name = try #require(findings.first)
        #expect(findings.count == 1)
        let file = folder("cache/plugins/\(name)")
        let whole = try readFile(file)
        var bad = (0..<whole.count).map { Array(whole[..<$0]) }
        bad += whole.indices.map { index in
            var bytes = whole
            bytes[index] ^= 0x20
            return bytes
        }
        bad += [whole + [0], Array(repeating: 0xFF, count: 5 << 20)]
        for (number, bytes) in bad.enumerated() {
            try folder.write("cache/plugins/\(name)", bytes)
            #expect(try examine().get().descriptors == [.example()])
            #expect(scanner.count == number + 2, "\(bytes.count) bytes, the \(number)th")
            #expect(try readFile(file) == whole, "it is written anew")
        }
    }

    @Test func `a cache file is valid for one library only`() throws {
        _ = try examine().get()
        let name = try #require(findings.first)
        let other = try folder.write("b.so", "another")
        scanner.find(.success(.example(name: "Other")))
        _ = try examine(other).get()
        let otherName = try #require(findings.first { $0 != name })
        #expect(
            rename(folder("cache/plugins/\(name)"), folder("cache/plugins/\(otherName)")) == 0)
        #expect(try examine(other).get().descriptors[0].name == "Other")
        #expect(scanner.count == 3)
    }

    @Test(arguments: [
        PluginDescriptor.example(name: "\u{1B}[2J"), .example(name: ""),
        .example(summary: "two\nlines"), .example(summary: "\u{202E}back"),
        .example(summary: String(repeating: "x", count: 5000)),
        .example(parameter: "Loud"), .example(parameter: "1st"),
        .example(defaultValue: .string("five")), .example(defaultValue: .integer(11)),
        .example(defaultValue: .boolean(true)),
    ])
    func `an impossible cached result is ignored`(
        descriptor: PluginDescriptor
    ) throws {
        cache.store(
            .success(LibraryDescription(path: library, minorVersion: 0, descriptors: [descriptor])),
            for: try identity)
        #expect(findings.count == 1)
        #expect(try examine().get().descriptors == [.example()])
        #expect(scanner.count == 1)
    }

    @Test func `a cached result beyond the limits of a library is ignored`() throws {
        for count in [0, 2, 257] {
            let descriptors = Array(repeating: PluginDescriptor.example(), count: count)
            cache.store(
                .success(
                    LibraryDescription(path: library, minorVersion: 0, descriptors: descriptors)),
                for: try identity)
            #expect(try cache.result(for: identity, at: library) == nil, "\(count) alike")
        }
    }

    @Test(arguments: [0o777, 0o720])
    func `a folder that others can write is not used`(mode: mode_t) throws {
        _ = try examine().get()
        #expect(chmod(folder("cache/plugins"), mode) == 0)
        _ = try examine().get()
        _ = try examine().get()
        #expect(scanner.count == 3)
    }

    @Test func `a cache folder that is a symbolic link is ignored`() throws {
        _ = try examine().get()
        #expect(rename(folder("cache/plugins"), folder("elsewhere")) == 0)
        #expect(symlink(folder("elsewhere"), folder("cache/plugins")) == 0)
        _ = try examine().get()
        #expect(scanner.count == 2)
    }

    @Test func `a missing cache folder is not an error`() throws {
        let cache = ScanCache(folder: "\(library)/cache")
        for count in 1...2 {
            let scans = self.scans(cache)
            #expect(try scans.examine(library).descriptors == [.example()])
            #expect(scanner.count == count)
        }
    }

    @Test func `only this user can access the cache`() throws {
        _ = try examine().get()
        for name in ["cache", "cache/plugins", "cache/plugins/\(try #require(findings.first))"] {
            var status = stat()
            #expect(stat(folder(name), &status) == 0)
            #expect(status.st_mode & 0o077 == 0, "\(name)")
        }
    }

    // MARK: Concurrency

    @Test func `concurrent writers leave whole cache files`() async throws {
        let libraries = try (0..<4).map { try folder.write("\($0).so", "content") }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask { [scans = self.scans(rescans: true)] in
                    let found = try? scans.examine(libraries[number % 4])
                    #expect(found?.descriptors == [.example()])
                }
            }
        }
        #expect(findings.count == 4, "\(findings)")
        let scans = scanner.count
        #expect(scans == 32)
        for library in libraries { #expect(try examine(library).get().path == library) }
        #expect(scanner.count == scans)
    }

    @Test func `the size of the cache is limited`() throws {
        let library = LibraryDescription(path: "/a", minorVersion: 0, descriptors: [.example()])
        var file = try identity
        for number in 0..<1100 {
            file.inode = UInt64(number)
            cache.store(.success(library), for: file)
        }
        // Each fiftieth write counts the files.
        #expect((750...1050).contains(findings.count), "\(findings.count)")
        #expect(cache.result(for: file, at: "/a") != nil)
    }

    // MARK: Identities

    private var identity: LibraryFile.Identity {
        get throws { try #require(LibraryFile.Identity(of: library)) }
    }

    @Test func `a file with another size or other times has no cached result`() throws {
        _ = try examine().get()
        #expect(try cache.result(for: identity, at: library) != nil)
        for change: WritableKeyPath<LibraryFile.Identity, Int64> in [
            \.byteCount, \.modifiedNanoseconds, \.changedNanoseconds,
        ] {
            var other = try identity
            other[keyPath: change] += 1
            #expect(cache.result(for: other, at: library) == nil)
        }
        let before = try identity
        try folder.write("a.so", "content, and more")
        #expect(try identity != before)
    }

    @Test func `a file counts as unchanged only 3 s after its last change`() throws {
        var identity = try identity
        identity.modifiedNanoseconds = 10_000_000_000
        identity.changedNanoseconds = 20_000_000_000
        for (now, isSettled): (Int64, Bool) in [
            (20_000_000_000, false), (22_999_999_999, false), (23_000_000_000, true),
            (0, false), (.min, false), (.max, true),
        ] {
            #expect(identity.isSettled(at: now) == isSettled, "\(now)")
        }
        swap(&identity.modifiedNanoseconds, &identity.changedNanoseconds)
        #expect(!identity.isSettled(at: 22_999_999_999))
    }
}

/// The folders of caches.
struct CacheFolderTests {
    @Test(
        arguments: [
            ("/x", "/home/a", "/x/greenroom/plugins"),
            (nil, "/home/a", "/home/a/.cache/greenroom/plugins"),
            ("", "/home/a", "/home/a/.cache/greenroom/plugins"),
            ("relative", "/home/a", "/home/a/.cache/greenroom/plugins"),
            (nil, nil, nil), (nil, "relative", nil),
        ] as [(String?, String?, String?)])
    func `the environment sets the cache folder`(cacheHome: String?, home: String?, folder: String?)
    {
        #expect(ScanCache(cacheHome: cacheHome, home: home)?.folder == folder)
    }
}

extension PluginDescriptor {
    fileprivate static func example(
        name: String = "Example", summary: String = "An example", parameter: String = "level",
        defaultValue: ParameterValue = .integer(5)
    ) -> PluginDescriptor {
        PluginDescriptor(
            kind: .videoSource, id: "org.example.\(name.lowercased().filter(\.isLetter))a",
            name: name,
            version: "1.0", summary: summary, vendor: nil, url: "https://example.org",
            parameters: [
                Parameter(
                    name: parameter, title: "Level", type: .integer, unit: "dB",
                    defaultValue: defaultValue, bounds: 0...10, choices: [], isLive: true),
                Parameter(
                    name: "mood", title: "Mood", type: .choice, unit: nil,
                    defaultValue: .string("calm"), bounds: nil, choices: ["calm", "wild"],
                    isLive: false),
            ])
    }
}
