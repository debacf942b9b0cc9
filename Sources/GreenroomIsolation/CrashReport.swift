import CLinux
import Glibc

/// The end of a process, as a report.
struct CrashReport {
    /// The code that `waitid` returned.
    var code: Int32
    var status: Int32
    /// The callback on the control thread, in words.
    var whereabouts: String?
    /// The last lines of the process's output, oldest first.
    var stderrTail: [String]

    /// The line that the runner writes before a backtrace.
    static let backtraceHeading = "greenroom-runner: backtrace:"

    /// The line that Swift writes before the backtrace of a runtime error.
    private static let swiftTraceHeading = "Current stack trace:"

    /// Whether a backtrace follows a line.
    static func isHeading(_ line: String) -> Bool {
        line == backtraceHeading || line == swiftTraceHeading
    }

    var text: String {
        var text =
            code == greenroom_code_exited
            ? "exited with status \(status)"
            : "killed by \(Self.name(ofSignal: status))"
        if let whereabouts { text += " \(whereabouts)" }
        let heading = stderrTail.firstIndex(where: Self.isHeading)
        if let last = stderrTail[..<(heading ?? stderrTail.endIndex)].last {
            text += "; last output: \(last)"
        }
        if let backtrace = Self.backtrace(in: stderrTail) { text += "; at \(backtrace)" }
        return text
    }

    /// The backtrace in a process's output, innermost function first; nil if the output has none.
    static func backtrace(in stderrTail: [String]) -> String? {
        let frames = frames(in: stderrTail)
        return frames.isEmpty ? nil : frames.joined(separator: " < ")
    }

    /// The backtrace's functions as a list, e.g. `libX.so(name+0x12)`; empty if the output has
    /// none.
    static func frames(in stderrTail: [String]) -> [String] {
        guard let heading = stderrTail.lastIndex(of: backtraceHeading) else { return [] }
        let all = stderrTail[(heading + 1)...].compactMap(place).filter {
            !$0.hasPrefix("libc.so") && !$0.hasPrefix("ld-linux")
        }
        // Skip the runner's own frames, unless the runner crashed.
        let own = all.firstIndex { $0.hasPrefix("greenroom-runner(") } ?? all.endIndex
        return Array(all.prefix(own > 0 ? min(own, 8) : 8))
    }

    /// The fatal memory access in a process's output; nil if the output has none.
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

/// A memory access that killed a process.
package struct MemoryFault: Equatable, Sendable {
    package enum Access: String, Sendable {
        case write
        case read
        /// A read or a write. This processor does not report which.
        case touch
    }

    /// The address in the process's address space.
    package var address: UInt64
    package var access: Access
}
