internal import CLinux
import Glibc

/// Opens and changes files in a plugin's place, where the kernel has no Landlock: the host does what a
/// system call asks for if a grant covers the file, and hands over what it has opened.
///
/// The kernel must not continue such a call: another thread of the plugin may change the path after the
/// host has read it. So each step uses one copy of the path, opens what it leads to without any
/// right, looks where that is, and from then on uses its descriptor.
struct FileBroker: Sendable {
    let granted: GrantedPaths
    /// The plugin's process.
    let process: Int32

    /// Why a call fails.
    enum AccessError: Error {
        /// The system's answer.
        case system(Int32)
        /// No grant covers the file; the path is where it really is.
        case ungranted(String, PathGrant.Access, folder: String?)
    }

    /// Something that was opened without the right to read or write it.
    private struct Place: ~Copyable {
        let descriptor: Int32
        let path: String

        deinit { close(descriptor) }
    }

    // MARK: Opening

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: Absolute.
    ///   - flags: Those of `open`.
    ///   - mode: That of a new file.
    /// - Returns: A descriptor, for the caller to close.
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
        // A link of /proc to a descriptor follows no path.
        return try open(
            AT_FDCWD, "/proc/self/fd/\(place.descriptor)",
            flags: flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW), mode: mode)
    }

    private func make(_ path: String, flags: Int32, mode: mode_t) throws(AccessError) -> Int32 {
        guard path.utf8.last != UInt8(ascii: "/") else { throw .system(EISDIR) }
        let entry = try entry(path)
        return try open(entry.folder.descriptor, entry.name, flags: flags | O_NOFOLLOW, mode: mode)
    }

    /// Opens without waiting: a pipe without a writer or a device that is busy must not hold the host.
    private func open(
        _ folder: Int32, _ name: String, flags: Int32, mode: mode_t
    ) throws(AccessError) -> Int32 {
        let file = openat(folder, name, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode)
        guard file >= 0 else { throw .system(errno) }
        if flags & O_NONBLOCK == 0 { _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK) }
        return file
    }

    // MARK: Changing folders

    /// Makes, removes, renames or links entries of folders. Both folders of two paths need a grant.
    ///
    /// - Parameters:
    ///   - paths: Absolute; the second of a name or link is its new one.
    ///   - option: The call's mode or flags; 0 without.
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
                // Its flags name files by descriptor, or through links.
                guard flags == 0 else { throw .system(EPERM) }
                result = linkat(
                    old.folder.descriptor, old.name, new.folder.descriptor, new.name, 0)
                break
            }
            // RENAME_NOREPLACE and RENAME_EXCHANGE.
            guard flags & ~3 == 0 else { throw .system(EINVAL) }
            if flags & exchanging != 0 { try requireOrdinary(new) }
            result = greenroom_rename(
                old.folder.descriptor, old.name, new.folder.descriptor, new.name,
                UInt32(bitPattern: flags))
        }
        guard result == 0 else { throw .system(errno) }
    }

    private var exchanging: Int32 { 2 }

    /// Requires an entry that gets another name to be a file or folder. Landlock would ask for the right to
    /// make what is there.
    private func requireOrdinary(_ entry: borrowing Entry) throws(AccessError) {
        var status = stat()
        guard fstatat(entry.folder.descriptor, entry.name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw .system(errno)
        }
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { throw .system(EACCES) }
    }

    // MARK: Where a path leads

    private struct Entry: ~Copyable {
        let folder: Place
        let name: String
    }

    /// The folder of a path and the name in it, which may be changed.
    private func entry(_ path: String) throws(AccessError) -> Entry {
        guard let (parent, name) = splitPath(path) else { throw .system(EBUSY) }
        guard name != ".", name != ".." else { throw .system(EINVAL) }
        let folder = try find(parent)
        // The folder: what is granted itself stays where it is.
        guard granted.coverChanges(in: folder.path) else {
            let place = folder.path == "/" ? "/\(name)" : "\(folder.path)/\(name)"
            throw .ungranted(place, .write, folder: folder.path)
        }
        return Entry(folder: folder, name: name)
    }

    /// - Parameter follows: Whether to follow a link at the end of the path.
    private func find(_ path: String, follows: Bool = true) throws(AccessError) -> Place {
        let own = "/proc/\(getpid())"
        func isOwn(_ path: String) -> Bool { isSame(path, own) || isBelow(path, own) }
        let flags = Int32(greenroom_open_path) | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW)
        guard !isOwn(path) else { throw .ungranted(path, .read, folder: nil) }
        // A link that leads to the program itself, and no path: libraries open it for its symbols.
        let program = "/proc/\(process)/exe"
        let named = isSame(path, program) ? target(ofLink: program) ?? path : path
        var place = try open(named, flags, links: true)
        if isOwn(place.path) {
            // A link to /proc/self, which here is the host: the plugin means its own entry.
            let meant = "/proc/\(process)" + rest(of: place.path, after: own)
            place = try open(meant, flags, links: false)
        }
        // What is there of other processes no grant gives: the host could open its own memory.
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
