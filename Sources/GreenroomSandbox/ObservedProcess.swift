import Glibc

/// A process blocked in a system call, as `/proc` shows it. The process's other threads may change
/// the memory at any time, so the kernel's later actions must not depend on these values.
struct ObservedProcess: Sendable {
    let process: Int32
    /// The blocked thread.
    let thread: Int32

    /// Reads a path from the process's memory.
    func path(at address: UInt64) -> String? {
        guard let bytes = bytes(at: address, atMost: Int(PATH_MAX)),
            let end = bytes.firstIndex(of: 0)
        else { return nil }
        // A repaired text would name another file.
        return String(validating: bytes[..<end], as: UTF8.self)
    }

    /// Reads bytes from the process's memory; nil if any byte is unreadable.
    func bytes(at address: UInt64, count: Int) -> [UInt8]? {
        guard count >= 0 else { return nil }
        return bytes(at: address, atMost: count).flatMap { $0.count == count ? $0 : nil }
    }

    private func bytes(at address: UInt64, atMost most: Int) -> [UInt8]? {
        guard let offset = off_t(exactly: address) else { return nil }
        let memory = open("/proc/\(thread)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { return nil }
        defer { close(memory) }
        return [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            count = max(0, pread(memory, buffer.baseAddress, most, offset))
        }
    }

    /// Makes a path absolute.
    ///
    /// - Parameter folder: The descriptor of the folder that the path is relative to; nil or
    ///   `AT_FDCWD` for the current folder.
    func absolute(_ path: String, relativeTo folder: Int32?) -> String? {
        if path.hasPrefix("/") { return asSeenFromOutside(path) }
        let place = folder.flatMap { $0 == AT_FDCWD ? nil : "fd/\($0)" } ?? "cwd"
        guard let base = target(ofLink: "/proc/\(thread)/\(place)"), base.hasPrefix("/") else {
            return nil
        }
        return path.isEmpty ? base : base + "/" + path
    }

    /// Replaces `/proc/self` and `/proc/thread-self`, which mean other processes in the host.
    private func asSeenFromOutside(_ path: String) -> String {
        for (own, outside) in [
            ("/proc/self", "/proc/\(process)"),
            ("/proc/thread-self", "/proc/\(process)/task/\(thread)"),
            ("/dev/fd", "/proc/\(process)/fd"),
        ] where isSame(path, own) || isBelow(path, own) {
            return outside + rest(of: path, after: own)
        }
        return path
    }
}

/// The target of a symbolic link; nil if it can't be read.
func target(ofLink path: String) -> String? {
    var text = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &text, text.count)
    guard count > 0 else { return nil }
    return String(validating: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}
