import CLinux
import Glibc
import GreenroomRuntime
package import GreenroomSession
package import GreenroomPluginInterface
import Synchronization

/// Scans libraries. Each content is scanned once; a cache has earlier results.
package final class LibraryScans: Sendable {
    private let cache: ScanCache?
    private let rescans: Bool
    private let scan: PluginLocator.Examination
    /// The results of this process, by path.
    private let results = Mutex<[String: ScanCache.ScanResult]>([:])

    /// - Parameters:
    ///   - cache: Keeps results for other processes; nil for none.
    ///   - rescans: Whether to ignore results of earlier processes.
    ///   - scan: Scans a library.
    package init(
        cache: ScanCache?, rescans: Bool = false, scan: @escaping PluginLocator.Examination
    ) {
        self.cache = cache
        self.rescans = rescans
        self.scan = scan
    }

    /// Scans a library. [any]
    package func examine(_ path: String) throws(LoadError) -> LibraryDescription {
        if let result = results.withLock({ $0[path] }) { return try result.get() }
        let result = result(for: path)
        results.withLock { $0[path] = result }
        return try result.get()
    }

    private func result(for path: String) -> ScanCache.ScanResult {
        // The scan says why a file can't be read.
        guard let cache, let file = LibraryFile(path), let hash = hash(of: file, cache) else {
            return Result { () throws(LoadError) in try scan(path) }
        }
        if !rescans, let known = cache.result(for: hash, at: path) { return withHint(known) }
        let start = MonotonicClock.now
        let result = Result { () throws(LoadError) in try scan(path) }
        // Checks that the file did not change between hash and scan.
        if Self.isStored(result, MonotonicClock.now - start),
            LibraryFile.identity(of: path) == file.identity
        {
            cache.store(result, for: hash)
        }
        return result
    }

    private func hash(of file: borrowing LibraryFile, _ cache: ScanCache) -> [UInt8]? {
        let isSettled = file.identity.isSettled(at: Self.now)
        if isSettled, let known = cache.hash(of: file.identity) { return known }
        guard let hash = file.hash() else { return nil }
        if isSettled { cache.store(hash: hash, of: file.identity) }
        return hash
    }

    /// Wall time, in nanoseconds since 1970.
    private static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// A failed scan that took longer than this, in nanoseconds, is cached.
    private static let slowScan: Int64 = 1_000_000_000

    /// Whether to cache a result.
    ///
    /// What a library contains stays the same. A missing dependency may be installed later. A crash
    /// or a hang may have had another cause, and the next scan shows it again, unless it takes
    /// long.
    private static func isStored(_ result: ScanCache.ScanResult, _ nanoseconds: Int64) -> Bool {
        guard case .failure(let error) = result else { return true }
        return switch error.code {
        case .wrongMajor, .badEntry, .badDescriptor, .unknownKind: true
        case .hangs, .crashes: nanoseconds >= slowScan
        case .notFound, .notAPlugin, .missingLibrary, .unresolvedSymbol, .noSuchPlugin, .noRunner,
            .noSocket, .badInstance:
            false
        }
    }

    /// Adds to a cached failure how to scan again.
    private func withHint(_ known: ScanCache.ScanResult) -> ScanCache.ScanResult {
        known.mapError { error in
            guard error.code == .hangs || error.code == .crashes else { return error }
            var error = error
            error.explanation +=
                " This is a cached result: `greenroom plugin info --rescan` scans again."
            return error
        }
    }
}
