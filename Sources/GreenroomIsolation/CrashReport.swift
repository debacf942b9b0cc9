import CLinux
import Glibc

/// The end of a process, in words.
struct CrashReport {
    /// As `waitid` tells it.
    var code: Int32
    var status: Int32
    /// Where the control thread was.
    var whereabouts: String?
    /// The last lines that the process wrote, oldest first.
    var stderrTail: [String]

    /// What the runner writes before a backtrace.
    static let backtraceHeading = "greenroom-runner: backtrace:"

    /// What Swift writes before the trace that goes with an error of its own.
    private static let swiftTraceHeading = "Current stack trace:"

    /// Whether a line is the heading of a trace: what follows are no words.
    static func isHeading(_ line: String) -> Bool {
        line == backtraceHeading || line == swiftTraceHeading
    }

    var text: String {
        var text =
            code == greenroom_code_exited
            ? "its process exited with status \(status)"
            : "its process was killed by \(Self.name(ofSignal: status))"
        if let whereabouts { text += " \(whereabouts)" }
        let heading = stderrTail.firstIndex(where: Self.isHeading)
        if let last = stderrTail[..<(heading ?? stderrTail.endIndex)].last {
            text += "; its last words: \(last)"
        }
        if let backtrace = Self.backtrace(in: stderrTail) { text += "; at \(backtrace)" }
        return text
    }

    /// Where a process was, the innermost function first; nil if its last words do not tell.
    static func backtrace(in stderrTail: [String]) -> String? {
        guard let heading = stderrTail.lastIndex(of: backtraceHeading) else { return nil }
        let all = stderrTail[(heading + 1)...].compactMap(place).filter {
            !$0.hasPrefix("libc.so") && !$0.hasPrefix("ld-linux")
        }
        // Whence the runner called the plugin is of no interest, but where it crashed itself is.
        let own = all.firstIndex { $0.hasPrefix("greenroom-runner(") } ?? all.endIndex
        let frames = all.prefix(own > 0 ? min(own, 8) : 8)
        return frames.isEmpty ? nil : frames.joined(separator: " < ")
    }

    /// What was touched that must not be; nil if a process's last words do not tell.
    static func fault(in stderrTail: [String]) -> MemoryFault? {
        guard let heading = stderrTail.lastIndex(of: backtraceHeading) else { return nil }
        let words = stderrTail[(heading + 1)...].first?.split(separator: " ") ?? []
        guard words.count == 3, words[0] == "fault:", words[2].hasPrefix("0x"),
            let address = UInt64(words[2].dropFirst(2), radix: 16),
            let access = MemoryFault.Access(rawValue: String(words[1]))
        else { return nil }
        return MemoryFault(address: address, access: access)
    }

    static func name(ofSignal signal: Int32) -> String {
        switch signal {
        case SIGSEGV: "SIGSEGV"
        case SIGBUS: "SIGBUS"
        case SIGILL: "SIGILL"
        case SIGFPE: "SIGFPE"
        case SIGABRT: "SIGABRT"
        case SIGTRAP: "SIGTRAP"
        case SIGSYS: "SIGSYS"
        case SIGKILL: "SIGKILL"
        case SIGTERM: "SIGTERM"
        case SIGXCPU: "SIGXCPU"
        case SIGXFSZ: "SIGXFSZ"
        default: "signal \(signal)"
        }
    }

    /// A line of a backtrace, `/path/libX.so(name+0x12)[0x7f…]`, as `libX.so(name+0x12)`.
    private static func place(_ line: String) -> String? {
        guard let end = line.lastIndex(of: "[") else { return nil }
        let place = line[..<end]
        let file = place.firstIndex(of: "(") ?? place.endIndex
        let start = place[..<file].lastIndex(of: "/").map(place.index(after:)) ?? place.startIndex
        return start < place.endIndex ? String(place[start...]) : nil
    }
}

/// What a thread touched that must not be, so that its process was killed.
package struct MemoryFault: Equatable, Sendable {
    package enum Access: String, Sendable {
        case write
        case read
        /// One of the two: the machine does not tell.
        case touch
    }

    /// Among the addresses of the process.
    package var address: UInt64
    package var access: Access
}
