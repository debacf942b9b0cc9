internal import CLinux
import Glibc
import GreenroomSystem
import SystemPackage

/// The time for which threads were ready to run while no processor was free, according to the
/// kernel. A busy machine delays a plugin by this time.
package enum ProcessorWait {
    /// The calling thread's number, and its wait so far.
    package static var ofThisThread: (thread: Int32, before: Int64) {
        let thread = greenroom_thread_number()
        return (thread, nanoseconds(ofThread: thread))
    }

    /// Returns the wait of a thread of this process, in nanoseconds; 0 if unknown.
    package static func nanoseconds(ofThread thread: Int32) -> Int64 {
        nanoseconds(in: "/proc/self/task/\(thread)/schedstat")
    }

    /// Returns the wait of the thread of a process that has waited longest, in nanoseconds; 0 if
    /// unknown.
    package static func longestNanoseconds(ofProcess process: Int32) -> Int64 {
        let folder = "/proc/\(process)/task"
        let threads = (try? FileDescriptor.names(in: folder)) ?? []
        return threads.map { nanoseconds(in: "\(folder)/\($0)/schedstat") }.max() ?? 0
    }

    /// Reads the second number of a file: running time, waiting time, and a count.
    private static func nanoseconds(in path: String) -> Int64 {
        let bytes = (try? FileDescriptor.contents(of: path)) ?? []
        let numbers = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return numbers.count > 1 ? Int64(numbers[1]) ?? 0 : 0
    }
}
