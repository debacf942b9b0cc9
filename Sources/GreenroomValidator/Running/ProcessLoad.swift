import Glibc
import GreenroomSystem
import SystemPackage

/// The processor time of a process, and the time that it waited for a processor, according to the
/// kernel.
struct ProcessLoad: Sendable {
    /// The time that the process's threads ran, in nanoseconds.
    var runNanoseconds: Int64 = 0
    /// The time that the process's threads were ready without a processor, in nanoseconds.
    var delayNanoseconds: Int64 = 0

    /// Reads the kernel's numbers; zeros for a process that does not exist.
    ///
    /// - Parameter isAsked: Selects threads by number and name.
    init(of process: Int32, isAsked: ((Int32, String) -> Bool)? = nil) {
        let folder = "/proc/\(process)/task"
        for name in (try? FileDescriptor.names(in: folder)) ?? [] {
            guard let thread = Int32(name),
                isAsked?(thread, Self.text("\(folder)/\(name)/comm")) ?? true
            else { continue }
            add("\(folder)/\(name)/schedstat")
        }
    }

    /// Adds a thread's file: running time, waiting time, and a count.
    private mutating func add(_ path: String) {
        let numbers = Self.text(path).split(whereSeparator: \.isWhitespace).map { Int64($0) ?? 0 }
        guard numbers.count >= 2 else { return }
        runNanoseconds += numbers[0]
        delayNanoseconds += numbers[1]
    }

    /// The text of a short file without its last line feed; empty if it does not exist.
    private static func text(_ path: String) -> String {
        let bytes = (try? FileDescriptor.contents(of: path)) ?? []
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
