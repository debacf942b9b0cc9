import Glibc
package import SystemPackage

extension FileError {
    fileprivate static func exists(_ file: String) -> Self {
        Self(.exists, file: file, rule: "already exists", cure: replacing)
    }

    fileprivate static func busy(_ file: String) -> Self {
        Self(
            .busy, file: file, rule: "is being written by another session",
            cure: "end that session, or name another file")
    }

    /// A file that a new one must not replace.
    fileprivate static func obstacle(_ file: String, _ rule: String) -> Self {
        Self(.cannotOpen, file: file, rule: rule, cure: replacing)
    }

    private static let replacing = "remove it, or name another file"

    fileprivate init(writing file: String, _ error: Errno) {
        let cure =
            switch error {
            case .noSuchFileOrDirectory: "check the path; its folder must exist"
            case .permissionDenied, .notPermitted, .readOnlyFileSystem:
                "check the permissions of the file and its folder"
            case .noSpace, .diskQuotaExceeded: "free some space, or write to another disk"
            case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
                "raise the limit of open files (ulimit -n)"
            default: "check the disk and the path"
            }
        self.init(
            .cannotWrite, file: file, rule: "cannot be written: \(error)", cure: cure,
            underlyingError: error)
    }
}

extension FileDescriptor {
    /// Makes a file for writing that only this user can read, and locks it for as long as it is
    /// open.
    ///
    /// Never follows a link, never waits, and writes to nothing but an ordinary file. A file that is
    /// replaced keeps its mode. The descriptor closes on exec.
    ///
    /// - Parameters:
    ///   - path: The file. Links to its folder are followed.
    ///   - replaces: Whether the file may exist.
    package static func output(
        _ path: String, replaces: Bool
    ) throws(FileError) -> FileDescriptor {
        let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        var number = Glibc.open(path, flags | O_CREAT | O_EXCL, 0o600)
        let isNew = number >= 0
        if number < 0 {
            let error = Errno.last
            if let problem = outputProblem(path, replaces: replaces) { throw problem }
            guard error == .fileExists else { throw FileError(writing: path, error) }
            number = Glibc.open(path, flags)
            guard number >= 0 else { throw FileError(writing: path, .last) }
        }
        let file = FileDescriptor(rawValue: number)
        do throws(FileError) {
            var about = Glibc.stat()
            guard fstat(number, &about) == 0 else { throw FileError(writing: path, .last) }
            if !isNew, let problem = problem(of: about, path) { throw problem }
            guard file.lock() else { throw FileError.busy(path) }
            if about.st_size > 0, ftruncate(number, 0) != 0 {
                throw FileError(writing: path, .last)
            }
        } catch {
            Glibc.close(number)
            throw error
        }
        return file
    }

    /// The reason why a file can't be made; nil if nothing is known against it. Changes nothing.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - replaces: Whether it may exist.
    package static func outputProblem(_ path: String, replaces: Bool) -> FileError? {
        var about = Glibc.stat()
        guard lstat(path, &about) == 0 else { return nil }
        // Report an existing file before its owner is checked, because the file is not replaced.
        if !replaces, about.st_mode & S_IFMT == S_IFREG { return .exists(path) }
        if let problem = problem(of: about, path) { return problem }
        let number = Glibc.open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return nil }
        defer { Glibc.close(number) }
        return FileDescriptor(rawValue: number).lock() ? nil : .busy(path)
    }

    /// Writes a file whole, or not at all: readers never see a part of it.
    ///
    /// - Parameters:
    ///   - path: The file; replaced if it exists.
    ///   - mode: The permissions of the file.
    package static func writeWhole(
        _ path: String, _ bytes: some Sequence<UInt8>, mode: FilePermissions = .ownerReadWrite
    ) throws(FileError) {
        var about = Glibc.stat()
        if lstat(path, &about) == 0, about.st_mode & S_IFMT != S_IFREG,
            let problem = problem(of: about, path)
        {
            throw problem
        }
        // A process that was killed may have left one.
        let part = path + ".part"
        let file = try output(part, replaces: true)
        do throws(Errno) {
            try withErrno {
                try file.closeAfter {
                    if fchmod(file.rawValue, mode.rawValue) != 0 { throw Errno.last }
                    _ = try file.writeAll(bytes)
                }
            }
            guard rename(part, path) == 0 else { throw Errno.last }
        } catch {
            unlink(part)
            throw FileError(writing: path, error)
        }
    }

    /// Makes a folder for only this user, and those around it that are missing. One that exists
    /// keeps its mode.
    package static func makeFolder(_ path: String) throws(Errno) {
        // A sandbox refuses to make a folder that is granted and exists.
        if access("\(path)/.", F_OK) == 0 { return }
        guard mkdir(path, 0o700) != 0 else { return }
        let problem = Errno.last
        if problem == .fileExists { return }
        guard problem == .noSuchFileOrDirectory, let slash = path.lastIndex(of: "/"),
            slash > path.startIndex
        else { throw problem }
        try makeFolder(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Errno.last }
    }

    private static func problem(of about: Glibc.stat, _ path: String) -> FileError? {
        let rule: String? =
            switch about.st_mode & S_IFMT {
            case S_IFREG:
                // Another user could read the content; another name would lose it.
                about.st_uid != geteuid()
                    ? "belongs to another user"
                    : about.st_nlink > 1
                        ? "has another name (a hard link), whose content would be lost" : nil
            case S_IFLNK: "is a symbolic link, and links are not followed"
            case S_IFDIR: "is a folder, not a regular file"
            case S_IFIFO: "is a named pipe, not a regular file"
            case S_IFSOCK: "is a socket, not a regular file"
            default: "is a device, not a regular file"
            }
        return rule.map { .obstacle(path, $0) }
    }

    // MARK: Locks

    /// Locks an open file or folder against other processes, until it is closed.
    ///
    /// - Returns: Whether no other process has it. Some file systems have no locks.
    package func lock() -> Bool {
        // A process that is just being started holds what its parent has closed until its program runs.
        for _ in 0..<20 {
            if flock(rawValue, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK { return true }
            usleep(10_000)
        }
        return false
    }

    /// The process that has locked a file or folder, such as `process 1234 (greenroom)`; nil if the
    /// system doesn't say.
    package var lockHolder: String? {
        var about = Glibc.stat()
        guard fstat(rawValue, &about) == 0,
            let bytes = try? FileDescriptor.contents(of: "/proc/locks")
        else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            // 1: FLOCK ADVISORY WRITE 1234 fd:01:5678 0 EOF
            let words = line.split(separator: " ")
            guard words.count > 5, words[1] == "FLOCK", let process = Int32(words[4]), process > 0,
                words[5].split(separator: ":").last.flatMap({ UInt64($0) }) == UInt64(about.st_ino)
            else { continue }
            if process == getpid() { return "this process" }
            let name = (try? FileDescriptor.contents(of: "/proc/\(process)/comm")).map {
                String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            }
            return "process \(process)" + (name.map { " (\($0))" } ?? "")
        }
        return nil
    }
}
