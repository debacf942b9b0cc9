import Glibc
import GreenroomSystem
import SystemPackage

/// The file with the status of a process or a thread, open: to find it costs the kernel as much as to read it.
struct StatusFile: ~Copyable {
    /// Negative if it could not be opened.
    fileprivate let descriptor: Int32

    /// - Parameter thread: The number of a thread of the process; nil for all of it.
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
    /// Shared memory that it has touched, in bytes: the host's frames, and its own.
    var sharedBytes = 0
    var threads = 0
    /// Whether it runs, or could if a processor were free: of a process, its first thread.
    var isReady = false
    /// How often it has waited for anything but a processor, likewise.
    var waits = 0
    /// Whether a signal has stopped it.
    var isStopped = false
    /// The debugger that is attached to it; 0 for none.
    var debugger: pid_t = 0
    /// If so, the kernel shows nothing else of it.
    var mainThreadHasExited = false

    /// - Returns: nil if the process has ended.
    init?(of process: pid_t) { self.init(in: StatusFile(of: process)) }

    /// Reads without memory of its own: a host that allocates nothing for a frame does this at least
    /// once a second for each of its processes.
    ///
    /// - Returns: nil if the process has ended, or the file could not be opened.
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
            // A line that fills the buffer is of thousands of groups.
            isTooLong = isTooLong || start == 0 && end == text.count
            filled = isTooLong ? 0 : end - start
            for index in 0..<filled { text[index] = text[start + index] }
            // The kernel gives as much as there is room for.
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

    /// Why it can't work, as a sentence; nil if nothing is known of that.
    var hindrance: String? { isStopped ? "Its process is stopped (SIGSTOP): continue it." : nil }

    /// Where the value begins in a line with a key; nil if its key is another.
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

    /// A number of the kernel's: of kibibytes, threads or a process.
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
