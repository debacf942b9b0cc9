import Glibc
import GreenroomSystem
import SystemPackage

/// What the kernel tells of a process.
struct ProcessStatus {
    /// Memory that no other process shares, in bytes: what it allocated, and its stacks.
    var privateBytes = 0
    /// Memory that it shares, as far as it has touched it, in bytes: what the host lends it, and
    /// whatever it has made itself.
    var sharedBytes = 0
    /// How many threads it has.
    var threads = 0
    /// Whether a signal has stopped it.
    var isStopped = false
    /// Whether its first thread has ended: then the kernel tells nothing more of it.
    var isHeadless = false

    /// Reads it; nil if the process has ended.
    init?(of process: pid_t) {
        guard let bytes = try? FileDescriptor.contents(of: "/proc/\(process)/status"),
            !bytes.isEmpty
        else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        for line in text.split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count > 1 else { continue }
            switch words[0] {
            case "State:":
                isStopped = words[1] == "T" || words[1] == "t"
                isHeadless = words[1] == "Z"
            case "Threads:": threads = Int(words[1]) ?? 0
            case "RssAnon:", "VmSwap:": privateBytes += (Int(words[1]) ?? 0) * 1024
            case "RssShmem:": sharedBytes = (Int(words[1]) ?? 0) * 1024
            default: continue
            }
        }
    }
}
