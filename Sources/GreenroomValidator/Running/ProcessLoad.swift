import Glibc
import GreenroomSystem
import SystemPackage

/// How much of the machine's processors a process has had, and how long it has waited for one, as
/// the kernel counts it.
struct ProcessLoad: Sendable {
    /// How long its threads ran, in nanoseconds.
    var runNanoseconds: Int64 = 0
    /// How long its threads were ready to run, and there was no processor for them, in nanoseconds.
    var delayNanoseconds: Int64 = 0

    /// Reads what the kernel knows; zeros for a process that is not there.
    ///
    /// - Parameter isAsked: Says of a thread, by its number and its name, whether it counts.
    init(of process: Int32, isAsked: ((Int32, String) -> Bool)? = nil) {
        let folder = "/proc/\(process)/task"
        guard let threads = opendir(folder) else { return }
        defer { closedir(threads) }
        while let entry = readdir(threads) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let thread = Int32(name),
                isAsked?(thread, Self.text("\(folder)/\(name)/comm")) ?? true
            else { continue }
            add("\(folder)/\(name)/schedstat")
        }
    }

    /// Adds a thread: how long it ran, how long it waited, and a count.
    private mutating func add(_ path: String) {
        let numbers = Self.text(path).split(whereSeparator: \.isWhitespace).map { Int64($0) ?? 0 }
        guard numbers.count >= 2 else { return }
        runNanoseconds += numbers[0]
        delayNanoseconds += numbers[1]
    }

    /// A short file without its last line's end; empty if it is not there.
    private static func text(_ path: String) -> String {
        let bytes = (try? FileDescriptor.contents(of: path)) ?? []
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
