package import Glibc

/// Reads the kernel's states of the threads of a process.
package enum ThreadStates {
    /// Whether all threads of a process except the calling one are waiting. A new thread counts as
    /// running until it has waited once. A thread that sleeps for a time counts as running, because
    /// it continues by itself.
    ///
    /// - Parameter process: A child of this process; nil for this process.
    package static func allSleep(in process: pid_t? = nil) -> Bool {
        let folder = "/proc/\(process.map(String.init) ?? "self")/task"
        // Without files or memory the threads' states are unknown.
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

    /// The system calls in which `sleep`, `usleep` and `nanosleep` wait; empty if their numbers are
    /// unknown.
    private static let sleepCalls: [String] = {
        #if arch(x86_64)
            ["230", "35"]
        #elseif arch(arm64)
            ["115", "101"]
        #else
            []
        #endif
    }()

    /// Returns whether a thread sleeps for a time, from the number of its system call; false if the
    /// kernel does not report the number.
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

    /// Returns whether a thread is asleep, from the word after its name in parentheses. An ended
    /// thread counts as asleep.
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
