import CLinux
import Glibc
import GreenroomMedia
package import GreenroomPluginInterface
import Synchronization

/// Scans libraries. Each file is scanned once, and a cache keeps the results. A library that
/// crashes or hangs is scanned again by each process.
package final class LibraryScans: Sendable {
    /// Scans a file at a path, within a time limit in nanoseconds. [any]
    package typealias Examination =
        @Sendable (_ path: String, _ limit: Int64) throws(LoadError) -> LibraryDescription

    private let cache: ScanCache?
    private let rescans: Bool
    private let scan: Examination
    /// The wall time, in nanoseconds since 1970.
    private let now: @Sendable () -> Int64
    /// The results of this process, by path.
    private let results = Mutex<[String: (limit: Int64, result: ScanCache.ScanResult)]>([:])

    /// - Parameters:
    ///   - cache: The cache of results for other processes; nil if none.
    ///   - rescans: Whether to ignore results of earlier processes.
    ///   - now: The wall time, in nanoseconds since 1970.
    ///   - scan: The function that scans a library.
    package init(
        cache: ScanCache?, rescans: Bool = false,
        now: @escaping @Sendable () -> Int64 = { LibraryScans.wallTime },
        scan: @escaping Examination
    ) {
        self.cache = cache
        self.rescans = rescans
        self.now = now
        self.scan = scan
    }

    /// Scans a library. [any]
    package func examine(
        _ path: String, within limit: Int64 = Limits.loadingNanoseconds
    ) throws(LoadError) -> LibraryDescription {
        // A library that hung within a shorter limit may load now.
        if let known = results.withLock({ $0[path] }),
            known.limit >= limit || !Self.isHang(known.result)
        {
            return try known.result.get()
        }
        let result = result(for: path, limit)
        results.withLock { $0[path] = (limit, result) }
        return try result.get()
    }

    private func result(for path: String, _ limit: Int64) -> ScanCache.ScanResult {
        // The scan reports the reason that a file cannot be read.
        guard let cache, let file = LibraryFile.Identity(of: path), file.isSettled(at: now()) else {
            return Result { () throws(LoadError) in try scan(path, limit) }
        }
        if !rescans, let known = cache.result(for: file, at: path) { return known }
        let result = Result { () throws(LoadError) in try scan(path, limit) }
        // Store the result only if the file did not change during the scan.
        if Self.isStored(result), LibraryFile.Identity(of: path) == file {
            cache.store(result, for: file)
        }
        return result
    }

    /// The wall time, in nanoseconds since 1970.
    package static var wallTime: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// Whether to cache a result.
    ///
    /// The content of a library does not change. A missing dependency may be installed later, and a
    /// crash or a hang may have another cause, such as a busy machine.
    private static func isHang(_ result: ScanCache.ScanResult) -> Bool {
        if case .failure(let error) = result { error.code == .hangs } else { false }
    }

    private static func isStored(_ result: ScanCache.ScanResult) -> Bool {
        guard case .failure(let error) = result else { return true }
        return switch error.code {
        case .wrongMajor, .badEntry, .badDescriptor, .unknownKind: true
        // Other reasons may depend on the machine, such as too little memory to map the library.
        case .notAPlugin: error == .withoutEntry(error.place)
        case .notConfined, .notFound, .missingLibrary, .unresolvedSymbol,
            .noSuchPlugin, .ambiguous, .noRunner, .noInterpreter,
            .noSocket, .socketInUse, .badInstance, .hangs, .crashes:
            false
        }
    }
}
