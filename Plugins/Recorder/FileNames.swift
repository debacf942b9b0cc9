import Glibc
import SystemPackage

/// The names of a recording's files.
struct FileNames {
    /// As the setting says: `talk.mkv`.
    let path: String
    /// Whether the files are numbered from the first one on: `talk-001.mkv`.
    let isNumbered: Bool
    /// The text before the number of a continued file.
    private let continuation: String
    private var number = 1

    init(path: String, isNumbered: Bool, continuation: String = "-") {
        self.path = path
        self.isNumbered = isNumbered
        self.continuation = continuation
    }

    /// The name of the file that comes next.
    var next: String {
        if isNumbered {
            let digits = String(number)
            return name("-" + String(repeating: "0", count: max(3 - digits.count, 0)) + digits)
        }
        return number == 1 ? path : name("\(continuation)\(number)")
    }

    mutating func advance() { number += 1 }

    /// Skips the names of files that are there.
    mutating func skipTaken() {
        while Self.exists(next), number < 100_000 { number += 1 }
    }

    /// Removes the files of an earlier recording that would follow the next one.
    func removeLater() {
        var later = self
        later.advance()
        while later.number < 100_000, Self.exists(later.next), unlink(later.next) == 0 {
            later.advance()
        }
    }

    /// Throws if another recording writes to the next file or to a later file, because the files
    /// before belong to that recording.
    func checkUnlocked() throws(RecordingError) {
        var later = self
        while later.number < 100_000, Self.exists(later.next) {
            guard !Self.isLocked(later.next) else {
                throw RecordingError(path: later.next, underlyingError: .wouldBlock)
            }
            later.advance()
        }
    }

    /// Whether there is a next file, which was last written more than some seconds ago.
    func isOlder(thanSeconds seconds: Int64) -> Bool {
        var about = stat()
        var now = timespec()
        guard lstat(next, &about) == 0, clock_gettime(CLOCK_REALTIME, &now) == 0 else {
            return false
        }
        return Int64(now.tv_sec) - Int64(about.st_mtim.tv_sec) > seconds
    }

    /// Whether another recording has locked a file.
    private static func isLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Whether a file, a folder or a link has this name, even a link without a target.
    static func exists(_ path: String) -> Bool {
        var about = stat()
        return lstat(path, &about) == 0
    }

    /// The name with something before its ending: `talk-share.mkv`.
    func name(_ suffix: String) -> String {
        guard let dot = path.lastIndex(of: ".") else { return path + suffix }
        return path[..<dot] + suffix + path[dot...]
    }

    /// Makes the folder of the files, and those around it that are missing.
    func makeFolder() throws(RecordingError) {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        try Self.make(String(path[..<slash]))
    }

    /// Throws if the next file can't be made: makes one beside it, and removes that.
    func checkWritable() throws(RecordingError) {
        var trial = Array((next + ".XXXXXX").utf8CString)
        let descriptor = mkstemp(&trial)
        guard descriptor >= 0 else {
            throw RecordingError(path: next, underlyingError: Errno(rawValue: errno))
        }
        unlink(trial)
        close(descriptor)
    }

    private static func make(_ folder: String) throws(RecordingError) {
        guard !exists(folder) else { return }
        if let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
            try make(String(folder[..<slash]))
        }
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw RecordingError(path: folder, underlyingError: Errno(rawValue: errno))
        }
    }
}
