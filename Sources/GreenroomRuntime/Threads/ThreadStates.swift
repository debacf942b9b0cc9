package import Glibc

/// Reads the kernel's states of the threads of a process.
package enum ThreadStates {
    /// Whether all threads of a process wait for something, without the calling one. A thread that was
    /// just started does not before it has waited once, and one that sleeps for a time will continue by
    /// itself.
    ///
    /// - Parameter process: A child of this one; nil for this one.
    package static func allSleep(in process: pid_t? = nil) -> Bool {
        let folder = "/proc/\(process.map(String.init) ?? "self")/task"
        // Without files or memory nothing is known of them.
        guard let entries = opendir(folder) else { return errno == ENOENT }
        defer { closedir(entries) }
        let own = process == nil ? ownThread : nil
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let thread = pid_t(name), thread != own else { continue }
            guard isAsleep("\(folder)/\(thread)/stat"),
                !sleepsForTime("\(folder)/\(thread)/syscall")
            else { return false }
        }
        return true
    }

    /// The calling thread's number, which Swift's Glibc has no function for.
    private static var ownThread: pid_t? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = max(readlink("/proc/thread-self", base, buffer.count), 0)
            let path = String(
                decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return path.split(separator: "/").last.flatMap { pid_t($0) }
        }
    }

    /// The calls in which `sleep`, `usleep` and `nanosleep` wait; empty where their numbers are not
    /// known.
    private static let sleepCalls: [String] = {
        #if arch(x86_64)
            ["230", "35"]
        #elseif arch(arm64)
            ["115", "101"]
        #else
            []
        #endif
    }()

    /// Reads whether a thread sleeps for a time, from the number of its system call; false where the
    /// kernel does not tell.
    private static func sleepsForTime(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { buffer in
            let count = max(read(file, buffer.baseAddress, buffer.count), 0)
            let word = String(
                decoding: buffer[..<count].prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
            return sleepCalls.contains(word)
        }
    }

    /// Reads the state of a thread, the word after its name in parentheses; one that has ended
    /// sleeps.
    private static func isAsleep(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return errno == ENOENT || errno == ESRCH }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count >= 0 else { return errno == ESRCH }
            let text = buffer[..<count]
            guard let end = text.lastIndex(of: UInt8(ascii: ")")), end + 2 < count else {
                return true
            }
            return text[end + 2] != UInt8(ascii: "R") && text[end + 2] != UInt8(ascii: "D")
        }
    }
}
