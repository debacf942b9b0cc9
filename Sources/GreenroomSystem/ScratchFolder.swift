import Glibc
import Synchronization
package import SystemPackage

/// A folder for temporary files that only this user can access. It is removed with its content when the object goes.
///
/// This process locks the folder for as long as it lives: the next one removes what killed processes have left.
package final class ScratchFolder: Sendable {
    /// The absolute path.
    package let path: String
    private let descriptor: Int32
    /// The time of the last change of the empty folder. A process cannot set it.
    private let made: timespec

    /// The parents and kinds from which this process has removed leftovers.
    private static let cleaned = Mutex<Set<String>>([])

    /// The most entries that are counted, and that are removed in a pass.
    private static let entryLimit = 10_000
    /// The most folders in each other.
    private static let depthLimit = 32
    /// The size of a folder that is full, in bytes.
    private static let full = 1 << 50
    /// The age at which a folder without a lock is left over, in seconds: a new one is locked at once.
    private static let unlockedAge = 60

    /// Makes a folder below `TMPDIR`, or `/tmp`.
    ///
    /// - Parameter kind: The purpose in the folder's name: `browser`.
    /// - Throws: The error of the system call that failed.
    package init(_ kind: String) throws(Errno) {
        guard let resolved = realpath(environmentVariable("TMPDIR") ?? "/tmp", nil) else {
            throw .last
        }
        defer { free(resolved) }
        let parent = String(cString: resolved)
        let (beginning, unfinished) = ("greenroom-\(kind)-", "greenroom-new-\(kind)-")
        if Self.cleaned.withLock({ $0.insert("\(parent)/\(kind)").inserted }) {
            Self.removeLeftovers(in: parent, beginning, unfinished)
        }
        var template = Array("\(parent)/\(unfinished)XXXXXX".utf8CString)
        let isMade = template.withUnsafeMutableBufferPointer { template in
            template.baseAddress.map { mkdtemp($0) != nil } ?? false
        }
        guard isMade else { throw .last }
        let made = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let path = "\(parent)/\(beginning)\(made.suffix(6))"
        let descriptor = Glibc.open(made, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        // It has its final name only while it is locked.
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0, rename(made, path) == 0
        else {
            let error = Errno.last
            rmdir(made)
            if descriptor >= 0 { close(descriptor) }
            throw error
        }
        self.path = path
        self.descriptor = descriptor
        var status = stat()
        fstat(descriptor, &status)
        self.made = status.st_ctim
    }

    deinit {
        remove()
        close(descriptor)
    }

    /// Removes the folder and its content. Nothing may use it any more.
    package func remove() {
        Self.empty(descriptor)
        rmdir(path)
    }

    /// The space on the disk, in bytes. A folder with too many entries, or too deep ones, counts as full.
    ///
    /// An unused folder costs no allocation.
    package var byteCount: Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return 0 }
        if status.st_ctim.tv_sec == made.tv_sec, status.st_ctim.tv_nsec == made.tv_nsec { return 0 }
        var entries = 0
        return Self.byteCount(of: descriptor, depth: 0, &entries)
    }

    private static func byteCount(of folder: Int32, depth: Int, _ entries: inout Int) -> Int {
        guard depth < depthLimit else { return full }
        var sum = 0
        for name in names(in: folder) {
            entries += 1
            guard entries < entryLimit, sum < full else { return full }
            var status = stat()
            guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            sum += min(Int(clamping: status.st_blocks), full / 512) * 512
            guard status.st_mode & S_IFMT == S_IFDIR else { continue }
            guard let inner = open(name, in: folder) else {
                // Its owner hides it.
                if errno == EACCES { return full }
                continue
            }
            sum += byteCount(of: inner, depth: depth + 1, &entries)
            close(inner)
        }
        return min(sum, full)
    }

    /// Removes the content of a folder; links are not followed.
    private static func empty(_ folder: Int32) {
        fchmod(folder, 0o700)
        var moves = 0
        while removeContent(of: folder, below: folder, depth: 0, &moves) > 0 {}
    }

    /// Removes the content of a folder. Moves what is too deep to the topmost one, for a next pass.
    ///
    /// - Returns: The number of entries that were removed or moved.
    private static func removeContent(
        of folder: Int32, below top: Int32, depth: Int, _ moves: inout Int
    ) -> Int {
        var count = 0
        for name in names(in: folder) {
            if unlinkat(folder, name, 0) == 0 {
                count += 1
                continue
            }
            guard errno == EISDIR, fchmodat(folder, name, 0o700, 0) == 0 else { continue }
            if depth == depthLimit {
                moves += 1
                if renameat(folder, name, top, "greenroom-moved-\(moves)") == 0 { count += 1 }
            } else if let inner = open(name, in: folder) {
                count += removeContent(of: inner, below: top, depth: depth + 1, &moves)
                close(inner)
                if unlinkat(folder, name, AT_REMOVEDIR) == 0 { count += 1 }
            }
        }
        return count
    }

    /// Opens a folder, but no link.
    private static func open(_ name: [CChar], in folder: Int32) -> Int32? {
        let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        return inner >= 0 ? inner : nil
    }

    /// The names of what is in a folder, as C strings: they need not be UTF-8.
    private static func names(in folder: Int32) -> [[CChar]] {
        let own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0 else { return [] }
        guard let directory = fdopendir(own) else {
            close(own)
            return []
        }
        defer { closedir(directory) }
        var names: [[CChar]] = []
        while names.count < entryLimit, let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
            }
            let dot = CChar(bitPattern: UInt8(ascii: "."))
            if name != [dot, 0], name != [dot, dot, 0] { names.append(name) }
        }
        return names
    }

    /// Removes the folders of processes that were killed, which nobody locks.
    private static func removeLeftovers(
        in parent: String, _ beginning: String, _ unfinished: String
    ) {
        let folder = Glibc.open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        for name in names(in: folder) {
            let text = String(
                decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let isFinal = text.hasPrefix(beginning)
            guard isFinal || text.hasPrefix(unfinished), let left = open(name, in: folder) else {
                continue
            }
            defer { close(left) }
            var status = stat()
            guard fstat(left, &status) == 0, status.st_uid == geteuid(),
                isFinal || time(nil) - status.st_mtim.tv_sec > unlockedAge,
                flock(left, LOCK_EX | LOCK_NB) == 0
            else { continue }
            empty(left)
            unlinkat(folder, name, AT_REMOVEDIR)
        }
    }
}
