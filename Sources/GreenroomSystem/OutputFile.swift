import Glibc
package import SystemPackage

/// Why a file can't be made, or replaced.
package enum OutputFileError: Error, Hashable, Sendable {
    /// It exists, and is not to be replaced.
    case exists
    /// Another process is writing it.
    case busy
    /// It is a symbolic link.
    case link
    /// It is no ordinary file, but this.
    case special(String)
    /// Its content has another name, under which it would be lost.
    case hardLink
    /// It belongs to another user, who could read what is written.
    case foreign
    /// The system's error.
    case system(Errno)

    /// What is wrong, after the file's name.
    package var rule: String {
        switch self {
        case .exists: "already exists"
        case .busy: "is being written by another session"
        case .link: "is a symbolic link, and links are not followed"
        case .special(let kind): "is \(kind), not a regular file"
        case .hardLink: "has another name (a hard link), whose content would be lost"
        case .foreign: "belongs to another user"
        case .system(let error): "cannot be written: \(error)"
        }
    }

    /// What to do about it.
    package var cure: String {
        switch self {
        case .busy: "end that session, or name another file"
        case .system(.noSuchFileOrDirectory): "check the path; its folder must exist"
        case .system(.permissionDenied), .system(.notPermitted), .system(.readOnlyFileSystem):
            "check the permissions of the file and its folder"
        case .system(.noSpace), .system(.diskQuotaExceeded):
            "free some space, or write to another disk"
        case .system(.tooManyOpenFiles), .system(.tooManyOpenFilesInSystem):
            "raise the limit of open files (ulimit -n)"
        case .system: "check the disk and the path"
        default: "remove it, or name another file"
        }
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
    ) throws(OutputFileError) -> FileDescriptor {
        let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        var number = Glibc.open(path, flags | O_CREAT | O_EXCL, 0o600)
        let isNew = number >= 0
        if number < 0 {
            let error = Errno.last
            if let problem = outputProblem(path, replaces: replaces) { throw problem }
            guard error == .fileExists else { throw .system(error) }
            number = Glibc.open(path, flags)
            guard number >= 0 else { throw .system(.last) }
        }
        let file = FileDescriptor(rawValue: number)
        do throws(OutputFileError) {
            var about = Glibc.stat()
            guard fstat(number, &about) == 0 else { throw .system(.last) }
            if !isNew, let problem = problem(of: about) { throw problem }
            guard file.lock() else { throw .busy }
            if about.st_size > 0, ftruncate(number, 0) != 0 { throw .system(.last) }
        } catch {
            Glibc.close(number)
            throw error
        }
        return file
    }

    /// Why a file can't be made; nil if nothing is known against it. Changes nothing.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - replaces: Whether it may exist.
    package static func outputProblem(_ path: String, replaces: Bool) -> OutputFileError? {
        var about = Glibc.stat()
        guard lstat(path, &about) == 0 else { return nil }
        if let problem = problem(of: about) {
            // One that stays as it is may be anybody's.
            if !replaces, problem == .hardLink || problem == .foreign { return .exists }
            return problem
        }
        if !replaces { return .exists }
        let number = Glibc.open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return nil }
        defer { Glibc.close(number) }
        return FileDescriptor(rawValue: number).lock() ? nil : .busy
    }

    /// Writes a file whole, or not at all: readers never see a part of it.
    ///
    /// - Parameters:
    ///   - path: The file; replaced if it exists.
    ///   - mode: Who may read it.
    package static func writeWhole(
        _ path: String, _ bytes: some Sequence<UInt8>, mode: FilePermissions = .ownerReadWrite
    ) throws(OutputFileError) {
        var about = Glibc.stat()
        if lstat(path, &about) == 0, about.st_mode & S_IFMT != S_IFREG,
            let problem = problem(of: about)
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
            throw .system(error)
        }
    }

    /// Makes a folder for this user alone, and those around it that are missing. One that exists
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

    private static func problem(of about: Glibc.stat) -> OutputFileError? {
        switch about.st_mode & S_IFMT {
        case S_IFREG:
            about.st_uid != geteuid() ? .foreign : about.st_nlink > 1 ? .hardLink : nil
        case S_IFLNK: .link
        case S_IFDIR: .special("a folder")
        case S_IFIFO: .special("a named pipe")
        case S_IFSOCK: .special("a socket")
        default: .special("a device")
        }
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
