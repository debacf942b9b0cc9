import Glibc
import GreenroomSystem
import SystemPackage

/// The open status file of a process or a thread. The file stays open because finding it costs the
/// kernel as much as reading it.
struct StatusFile: ~Copyable {
    /// The file's descriptor; negative if the file could not be opened.
    fileprivate let descriptor: Int32

    /// - Parameter thread: The number of a thread of the process; nil if the whole process.
    init(of process: pid_t, thread: String? = nil) {
        let place = thread.map { "\(process)/task/\($0)" } ?? "\(process)"
        descriptor = (try? FileDescriptor.reading("/proc/\(place)/status"))?.rawValue ?? -1
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}

/// The memory, threads and state of a process, or the state of a thread, from `/proc`.
struct ProcessStatus {
    /// Private memory in bytes: heap, stacks and page tables. Page tables count because a process
    /// can make them larger than its memory.
    var privateBytes = 0
    /// Shared memory that the process has touched, in bytes: the host's frames and the process's
    /// own memory.
    var sharedBytes = 0
    var threads = 0
    /// Whether the thread runs or is ready to run. For a process: its first thread.
    var isReady = false
    /// The number of times that the thread waited for anything but a processor. For a process: its
    /// first thread.
    var waits = 0
    /// Whether a signal has stopped it.
    var isStopped = false
    /// The id of the attached debugger; 0 if none.
    var debugger: pid_t = 0
    /// Whether the main thread has exited. The kernel then shows no other values of the process.
    var mainThreadHasExited = false

    /// - Returns: The status; nil if the process has ended.
    init?(of process: pid_t) { self.init(in: StatusFile(of: process)) }

    /// Reads the status without allocating: a host that allocates nothing per frame reads it at
    /// least once a second for each process.
    ///
    /// - Returns: The status; nil if the process has ended or the file could not be opened.
    init?(in file: borrowing StatusFile) {
        var text = InlineArray<4096, UInt8>(repeating: 0)
        var (filled, place, isTooLong) = (0, 0, false)
        while true {
            let room = text.count - filled
            let count = withUnsafeMutableBytes(of: &text) { [filled, place] bytes in
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes.dropFirst(filled))
                return pread(file.descriptor, rest.baseAddress, rest.count, place)
            }
            guard count > 0 else { break }
            place += count
            let end = filled + count
            var start = 0
            for index in filled..<end where text[index] == UInt8(ascii: "\n") {
                if !isTooLong { take(text.span.extracting(start..<index)) }
                isTooLong = false
                start = index + 1
            }
            // Only the line of supplementary groups can fill the buffer, with thousands of groups.
            isTooLong = isTooLong || start == 0 && end == text.count
            filled = isTooLong ? 0 : end - start
            for index in 0..<filled { text[index] = text[start + index] }
            // The kernel fills the buffer unless the file ends.
            guard count == room else { break }
        }
        guard place > 0 else { return nil }
    }

    private mutating func take(_ line: Span<UInt8>) {
        if let value = Self.value(of: "State:", in: line), value < line.count {
            isReady = line[value] == UInt8(ascii: "R")
            isStopped = line[value] == UInt8(ascii: "T") || line[value] == UInt8(ascii: "t")
            mainThreadHasExited = line[value] == UInt8(ascii: "Z")
        } else if let value = Self.value(of: "TracerPid:", in: line) {
            debugger = pid_t(clamping: Self.number(at: value, in: line))
        } else if let value = Self.value(of: "Threads:", in: line) {
            threads = Self.number(at: value, in: line)
        } else if let value = Self.value(of: "voluntary_ctxt_switches:", in: line) {
            waits = Self.number(at: value, in: line)
        } else if let value = Self.value(of: "RssAnon:", in: line)
            ?? Self.value(of: "VmSwap:", in: line) ?? Self.value(of: "VmPTE:", in: line)
        {
            privateBytes += Self.number(at: value, in: line) * 1024
        } else if let value = Self.value(of: "RssShmem:", in: line) {
            sharedBytes = Self.number(at: value, in: line) * 1024
        }
    }

    /// The reason that the process cannot run, as a sentence; nil if unknown.
    var hindrance: String? { isStopped ? "Its process is stopped (SIGSTOP): continue it." : nil }

    /// The offset of the value in a line with this key; nil if the line has another key.
    private static func value(of key: String, in line: Span<UInt8>) -> Int? {
        var index = 0
        for byte in key.utf8 {
            guard index < line.count, line[index] == byte else { return nil }
            index += 1
        }
        while index < line.count,
            line[index] == UInt8(ascii: " ") || line[index] == UInt8(ascii: "\t")
        {
            index += 1
        }
        return index
    }

    /// Parses a number of kibibytes, threads or a process.
    private static func number(at start: Int, in line: Span<UInt8>) -> Int {
        var number = 0
        var index = start
        while index < line.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(line[index]),
            number < 1 << 48
        {
            number = number * 10 + Int(line[index] - UInt8(ascii: "0"))
            index += 1
        }
        return number
    }
}
