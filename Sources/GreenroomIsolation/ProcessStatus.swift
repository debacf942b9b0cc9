import Glibc
import GreenroomSystem
import SystemPackage

/// A process's memory, threads and state, from `/proc`.
struct ProcessStatus {
    /// Memory that it shares with no process, in bytes: heap and stacks.
    var privateBytes = 0
    /// Shared memory that it has touched, in bytes: the host's frames, and its own.
    var sharedBytes = 0
    var threads = 0
    /// Whether a signal has stopped it.
    var isStopped = false
    /// The debugger that is attached to it; 0 for none.
    var debugger: pid_t = 0
    /// If so, the kernel shows nothing else of it.
    var mainThreadHasExited = false

    /// - Returns: nil if the process has ended.
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
                mainThreadHasExited = words[1] == "Z"
            case "TracerPid:": debugger = pid_t(words[1]) ?? 0
            case "Threads:": threads = Int(words[1]) ?? 0
            case "RssAnon:", "VmSwap:": privateBytes += (Int(words[1]) ?? 0) * 1024
            case "RssShmem:": sharedBytes = (Int(words[1]) ?? 0) * 1024
            default: continue
            }
        }
    }
}
