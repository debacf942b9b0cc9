import Glibc
import SystemPackage

/// A process and the processes that it started.
package struct ProcessTree: Sendable {
    private let root: pid_t

    /// This process with its children.
    package static var own: ProcessTree { ProcessTree(root: getpid()) }

    /// The processor time so far, in seconds, including processes that have ended.
    ///
    /// Reads `/proc`. A process that ends meanwhile is left out until its parent has collected it.
    package var processorSeconds: Double {
        Double(Self.ticks(of: root, depth: 0)) / Self.ticksPerSecond
    }

    /// Linux's USER_HZ, the unit of `stat` on all architectures.
    private static let ticksPerSecond = 100.0

    /// The deepest level that counts, because a plugin can nest processes without limit.
    private static let deepest = 8

    private static func ticks(of process: pid_t, depth: Int) -> Int {
        guard depth < deepest else { return 0 }
        let children = threads(of: process).flatMap { thread in
            words(of: "/proc/\(process)/task/\(thread)/children").compactMap { pid_t($0) }
        }
        return ownTicks(of: process)
            + children.reduce(0) { $0 + ticks(of: $1, depth: depth + 1) }
    }

    /// User and system time of a process and of its collected children: fields 14 to 17 of its `stat`.
    private static func ownTicks(of process: pid_t) -> Int {
        let text = text(of: "/proc/\(process)/stat")
        // The name, in parentheses, can contain blanks.
        guard let end = text.lastIndex(of: ")") else { return 0 }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 14 else { return 0 }
        return fields[11...14].reduce(0) { $0 + (Int($1) ?? 0) }
    }

    private static func threads(of process: pid_t) -> [String] {
        (try? FileDescriptor.names(in: "/proc/\(process)/task")) ?? []
    }

    private static func words(of path: String) -> [Substring] {
        text(of: path).split(whereSeparator: \.isWhitespace)
    }

    private static func text(of path: String) -> String {
        String(decoding: (try? FileDescriptor.contents(of: path)) ?? [], as: UTF8.self)
    }
}
