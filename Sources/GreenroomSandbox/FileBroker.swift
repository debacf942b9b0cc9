internal import CLinux
import Glibc

/// Opens and changes files for a plugin if the kernel has no Landlock. The host executes the system
/// call if a grant covers the file, and passes the opened descriptor to the plugin.
///
/// The kernel must not continue the system call: another thread of the plugin may change the path
/// after the host has read it. So each step copies the path once, opens the file without any right,
/// checks its real path, and then uses its descriptor.
struct FileBroker: Sendable {
    let granted: GrantedPaths
    /// The plugin's process.
    let process: Int32

    /// The reason that a call fails.
    enum AccessError: Error {
        /// The system's error number.
        case system(Int32)
        /// No grant covers the file. The path is the file's real path.
        case ungranted(String, PathGrant.Access, folder: String?)
    }

    /// A file or folder, opened without the right to read or write.
    private struct Place: ~Copyable {
        let descriptor: Int32
        let path: String

        deinit { close(descriptor) }
    }

    // MARK: Opening

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The absolute path.
    ///   - flags: The flags of `open`.
    ///   - mode: The mode of a new file.
    /// - Returns: A descriptor. The caller closes it.
    func open(_ path: String, flags: Int32, mode: mode_t) throws(AccessError) -> Int32 {
        let place: Place
        do throws(AccessError) {
            place = try find(path, follows: flags & O_NOFOLLOW == 0)
        } catch {
            guard case .system(ENOENT) = error, flags & O_CREAT != 0 else { throw error }
            return try make(path, flags: flags, mode: mode)
        }
        var status = stat()
        guard fstat(place.descriptor, &status) == 0 else { throw .system(errno) }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFLNK else { throw .system(ELOOP) }
        let writes = flags & O_ACCMODE != O_RDONLY || flags & O_TRUNC != 0
        let access: PathGrant.Access =
            !writes ? .read : kind == S_IFCHR || kind == S_IFBLK ? .device : .write
        guard granted.cover(place.path, for: access) else {
            throw .ungranted(place.path, access, folder: nil)
        }
        guard flags & (O_CREAT | O_EXCL) != O_CREAT | O_EXCL else { throw .system(EEXIST) }
        // The kernel resolves a link of /proc to a descriptor without following a path.
        return try open(
            AT_FDCWD, "/proc/self/fd/\(place.descriptor)",
            flags: flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW), mode: mode)
    }

    private func make(_ path: String, flags: Int32, mode: mode_t) throws(AccessError) -> Int32 {
        guard path.utf8.last != UInt8(ascii: "/") else { throw .system(EISDIR) }
        let entry = try entry(path)
        return try open(entry.folder.descriptor, entry.name, flags: flags | O_NOFOLLOW, mode: mode)
    }

    /// Opens a file without blocking: a pipe without a writer or a busy device must not block the
    /// host.
    private func open(
        _ folder: Int32, _ name: String, flags: Int32, mode: mode_t
    ) throws(AccessError) -> Int32 {
        let file = openat(folder, name, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode & 0o1777)
        guard file >= 0 else { throw .system(errno) }
        if flags & O_NONBLOCK == 0 { _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK) }
        return file
    }

    // MARK: Changing folders

    /// Makes, removes, renames or links entries of folders. A call with two paths needs a grant for
    /// both folders.
    ///
    /// - Parameters:
    ///   - paths: The absolute paths. For a rename or link, the second is the new path.
    ///   - option: The call's mode or flags; 0 if none.
    func change(_ change: PathCall.Change, _ paths: [String], option: UInt64) throws(AccessError) {
        guard let first = paths.first else { throw .system(EINVAL) }
        let old = try entry(first)
        let flags = Int32(truncatingIfNeeded: option)
        let result: Int32
        switch change {
        case .makeFile: throw .system(EINVAL)
        case .makeFolder:
            result = mkdirat(
                old.folder.descriptor, old.name, mode_t(truncatingIfNeeded: option) & 0o1777)
        case .remove: result = unlinkat(old.folder.descriptor, old.name, flags)
        case .removeFolder: result = unlinkat(old.folder.descriptor, old.name, AT_REMOVEDIR)
        case .rename, .link:
            guard paths.count == 2 else { throw .system(EINVAL) }
            let new = try entry(paths[1])
            try requireOrdinary(old)
            guard change == .rename else {
                // The flags of linkat refer to files by descriptor or follow links.
                guard flags == 0 else { throw .system(EPERM) }
                result = linkat(
                    old.folder.descriptor, old.name, new.folder.descriptor, new.name, 0)
                break
            }
            // Allow only RENAME_NOREPLACE and RENAME_EXCHANGE.
            guard flags & ~3 == 0 else { throw .system(EINVAL) }
            if flags & exchanging != 0 { try requireOrdinary(new) }
            result = greenroom_rename(
                old.folder.descriptor, old.name, new.folder.descriptor, new.name,
                UInt32(bitPattern: flags))
        }
        guard result == 0 else { throw .system(errno) }
    }

    private var exchanging: Int32 { 2 }

    /// Requires a renamed or linked entry to be a file or folder. For other kinds Landlock would
    /// require the right to make the kind.
    private func requireOrdinary(_ entry: borrowing Entry) throws(AccessError) {
        var status = stat()
        guard fstatat(entry.folder.descriptor, entry.name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw .system(errno)
        }
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { throw .system(EACCES) }
    }

    // MARK: Path resolution

    private struct Entry: ~Copyable {
        let folder: Place
        let name: String
    }

    /// The folder and name of a path. The policy must allow changes in the folder.
    private func entry(_ path: String) throws(AccessError) -> Entry {
        guard let (parent, name) = splitPath(path) else { throw .system(EBUSY) }
        guard name != ".", name != ".." else { throw .system(EINVAL) }
        let folder = try find(parent)
        // Check the folder: a plugin cannot rename or remove a granted path itself.
        guard granted.coverChanges(in: folder.path) else {
            let place = folder.path == "/" ? "/\(name)" : "\(folder.path)/\(name)"
            throw .ungranted(place, .write, folder: folder.path)
        }
        return Entry(folder: folder, name: name)
    }

    /// Opens a path without the right to read or write.
    ///
    /// - Parameter follows: Whether to follow a link at the end of the path.
    private func find(_ path: String, follows: Bool = true) throws(AccessError) -> Place {
        let own = "/proc/\(getpid())"
        func isOwn(_ path: String) -> Bool { isSame(path, own) || isBelow(path, own) }
        let flags = Int32(greenroom_open_path) | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW)
        guard !isOwn(path) else { throw .ungranted(path, .read, folder: nil) }
        // The kernel resolves /proc/PID/exe without a path. Libraries open the link to read
        // symbols.
        let program = "/proc/\(process)/exe"
        let named = isSame(path, program) ? target(ofLink: program) ?? path : path
        var place = try open(named, flags, links: true)
        if isOwn(place.path) {
            // In the host, a link to /proc/self leads to the host's entry. The plugin means its own
            // entry.
            let meant = "/proc/\(process)" + rest(of: place.path, after: own)
            place = try open(meant, flags, links: false)
        }
        // No grant covers other processes in /proc: the host could open its own memory there.
        let parts = place.path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2)
        if parts.count > 1, parts[0].elementsEqual("proc".utf8),
            let number = Int32(String(Substring(parts[1]))), number != process
        {
            throw .ungranted(place.path, .read, folder: nil)
        }
        return place
    }

    private func open(_ path: String, _ flags: Int32, links: Bool) throws(AccessError) -> Place {
        let descriptor = greenroom_open_plain(path, flags, links ? 1 : 0)
        guard descriptor >= 0 else { throw .system(errno) }
        guard let real = target(ofLink: "/proc/self/fd/\(descriptor)") else {
            close(descriptor)
            throw .system(EACCES)
        }
        return Place(descriptor: descriptor, path: real)
    }
}
