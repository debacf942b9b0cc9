import Glibc
import GreenroomSystem
import SystemPackage

/// A process's state, from `/proc`.
struct ProcessSnapshot: Sendable {
    /// The process's thread ids.
    var threads: Set<Int32> = []
    /// The targets of its open descriptors.
    var descriptors: [Int32: String] = [:]
    /// Mapped files without code.
    var dataFiles: Set<String> = []
    /// Caught and ignored signals, one bit each.
    var (caughtSignals, ignoredSignals): (UInt64, UInt64) = (0, 0)
    /// The process's private memory in use, in bytes.
    var privateBytes = 0
    /// The process's allocated private memory, in bytes.
    var dataBytes = 0

    /// Takes a snapshot of a process.
    init(of process: Int32) {
        threads = Set(Self.entries(of: "/proc/\(process)/task").compactMap { Int32($0) })
        for entry in Self.entries(of: "/proc/\(process)/fd") {
            guard let number = Int32(entry) else { continue }
            descriptors[number] = Self.target(of: "/proc/\(process)/fd/\(entry)")
        }
        readStatus(of: process)
        readMaps(of: process)
    }

    private mutating func readStatus(of process: Int32) {
        for line in Self.text(of: "/proc/\(process)/status").split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count > 1 else { continue }
            let kilobytes = Int(words[1]) ?? 0
            switch words[0] {
            case "SigCgt:": caughtSignals = UInt64(words[1], radix: 16) ?? 0
            case "SigIgn:": ignoredSignals = UInt64(words[1], radix: 16) ?? 0
            case "RssAnon:", "VmSwap:": privateBytes += kilobytes * 1024
            case "VmData:": dataBytes = kilobytes * 1024
            default: continue
            }
        }
    }

    private mutating func readMaps(of process: Int32) {
        var withCode: Set<String> = []
        for line in Self.text(of: "/proc/\(process)/maps").split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard words.count == 6, words[5].contains("/") else { continue }
            let file = String(words[5].drop { $0 == " " })
            guard file.hasPrefix("/"), !file.hasPrefix("/memfd:") else { continue }
            dataFiles.insert(file)
            if words[1].contains("x") { withCode.insert(file) }
        }
        dataFiles.subtract(withCode)
    }

    private static func entries(of folder: String) -> [String] {
        (try? FileDescriptor.names(in: folder)) ?? []
    }

    private static func target(of link: String) -> String {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &text, text.count)
        return count > 0
            ? String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            : "something"
    }

    /// A file's text; empty if it does not exist.
    static func text(of file: String) -> String {
        String(decoding: (try? FileDescriptor.contents(of: file)) ?? [], as: UTF8.self)
    }
}

extension ProcessSnapshot {
    /// The descriptors opened since another snapshot, as text.
    func opened(since before: ProcessSnapshot) -> [String] {
        descriptors.filter { before.descriptors[$0.key] != $0.value }
            .sorted { $0.key < $1.key }.map { Self.name(of: $0.value) }
    }

    /// A descriptor's target as text.
    private static func name(of target: String) -> String {
        guard let end = target.firstIndex(of: ":"), !target.hasPrefix("/") else { return target }
        switch target[..<end] {
        case "socket": return "a socket"
        case "pipe": return "a pipe"
        case "anon_inode": return "an \(target[target.index(after: end)...])"
        default: return target
        }
    }
}
