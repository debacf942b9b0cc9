import Glibc
import GreenroomRuntime
package import GreenroomSession
package import GreenroomPluginInterface
import Synchronization

/// Looks into libraries, each content once: what was found before is known from the cache.
package final class LibraryScans: Sendable {
    private let cache: ScanCache?
    private let looksAgain: Bool
    private let scan: PluginLocator.Examination
    /// What this process has looked into, by path.
    private let seen = Mutex<[String: ScanCache.Finding]>([:])

    /// - Parameters:
    ///   - cache: Where findings are kept from one process to the next; nil for nowhere.
    ///   - looksAgain: Whether what was found by earlier processes counts for nothing.
    ///   - scan: Looks into a library.
    package init(
        cache: ScanCache?, looksAgain: Bool = false, scan: @escaping PluginLocator.Examination
    ) {
        self.cache = cache
        self.looksAgain = looksAgain
        self.scan = scan
    }

    /// Looks into a library. [any]
    package func examine(_ path: String) throws(LoadError) -> LibraryDescription {
        if let finding = seen.withLock({ $0[path] }) { return try finding.get() }
        let finding = find(path)
        seen.withLock { $0[path] = finding }
        return try finding.get()
    }

    private func find(_ path: String) -> ScanCache.Finding {
        // Of a file that can't be read, the scan tells why.
        guard let cache, let file = LibraryFile(path), let hash = hash(of: file, cache) else {
            return Result { () throws(LoadError) in try scan(path) }
        }
        if !looksAgain, let known = cache.finding(for: hash, at: path) { return remark(on: known) }
        let start = MonotonicClock.now
        let finding = Result { () throws(LoadError) in try scan(path) }
        // A file that changed meanwhile may have been hashed as one and scanned as another.
        if Self.isKept(finding, MonotonicClock.now - start),
            LibraryFile.identity(of: path) == file.identity
        {
            cache.keep(finding, for: hash)
        }
        return finding
    }

    private func hash(of file: borrowing LibraryFile, _ cache: ScanCache) -> [UInt8]? {
        let isSettled = file.identity.isSettled(at: Self.now)
        if isSettled, let known = cache.hash(of: file.identity) { return known }
        guard let hash = file.hash() else { return nil }
        if isSettled { cache.keep(hash: hash, of: file.identity) }
        return hash
    }

    /// Wall time, in nanoseconds since 1970.
    private static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// How long a look may take that is no burden to take again, in nanoseconds.
    private static let patience: Int64 = 1_000_000_000

    /// Whether a finding is worth keeping.
    ///
    /// What a library says of itself is the same next time. What it needs of the system may be there
    /// then. That it crashes or hangs may have had a reason elsewhere, too, and is seen again with
    /// its evidence, unless that takes long.
    private static func isKept(_ finding: ScanCache.Finding, _ nanoseconds: Int64) -> Bool {
        guard case .failure(let error) = finding else { return true }
        return switch error.code {
        case .wrongMajor, .badEntry, .badDescriptor, .unknownKind: true
        case .hangs, .crashes: nanoseconds >= patience
        case .notFound, .notAPlugin, .missingLibrary, .unresolvedSymbol, .noSuchPlugin, .noRunner,
            .noSocket, .badInstance:
            false
        }
    }

    private func remark(on known: ScanCache.Finding) -> ScanCache.Finding {
        known.mapError { error in
            guard error.code == .hangs || error.code == .crashes else { return error }
            var error = error
            error.explanation +=
                " This was seen before: `greenroom plugin info --rescan` looks again."
            return error
        }
    }
}
