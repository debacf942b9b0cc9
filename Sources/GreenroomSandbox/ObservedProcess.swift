import Glibc

/// A process that is held in a system call, as `/proc` shows it. Whatever is read here may have
/// been changed by another thread of it since: it serves explanations, never decisions.
struct ObservedProcess: Sendable {
    /// The process.
    let process: Int32
    /// Its thread that is held.
    let thread: Int32

    /// A path in its memory.
    func path(at address: UInt64) -> String? {
        guard let offset = off_t(exactly: address) else { return nil }
        let memory = open("/proc/\(thread)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { return nil }
        defer { close(memory) }
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = max(0, pread(memory, buffer.baseAddress, buffer.count, offset))
        }
        guard let end = bytes.firstIndex(of: 0) else { return nil }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// A path with what it is relative to.
    ///
    /// - Parameter folder: The descriptor of a folder; nil or `AT_FDCWD` for the current one.
    func absolute(_ path: String, relativeTo folder: Int32?) -> String? {
        if path.hasPrefix("/") { return asSeenFromOutside(path) }
        let place = folder.flatMap { $0 == AT_FDCWD ? nil : "fd/\($0)" } ?? "cwd"
        guard let base = target(ofLink: "/proc/\(thread)/\(place)"), base.hasPrefix("/") else {
            return nil
        }
        return path.isEmpty ? base : base + "/" + path
    }

    /// A path with this process's own entry in `/proc` by its number.
    private func asSeenFromOutside(_ path: String) -> String {
        for (own, outside) in [
            ("/proc/self", "/proc/\(process)"),
            ("/proc/thread-self", "/proc/\(process)/task/\(thread)"),
            ("/dev/fd", "/proc/\(process)/fd"),
        ] where path == own || path.hasPrefix(own + "/") {
            return outside + path.dropFirst(own.count)
        }
        return path
    }
}

/// Where a symbolic link leads; nil if it can't be read.
private func target(ofLink path: String) -> String? {
    var text = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &text, text.count)
    guard count > 0 else { return nil }
    return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}
