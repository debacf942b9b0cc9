import Foundation
import Glibc
import SessionTestSupport
import TestSupport

/// The processes of plugins.
struct Runners {
    /// Those of a host, running or not: each was started with its id.
    static func all(ofHost host: pid_t) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            guard let bytes = try? readFile("/proc/\(process)/cmdline") else { return false }
            let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return words.count >= 2 && words[0].hasSuffix("/greenroom-runner")
                && words[1] == "\(host)"
        }
    }

    /// Waits until a host has that many.
    static func wait(for count: Int, ofHost host: pid_t) -> Bool {
        waitUntil { all(ofHost: host).count == count }
    }

    /// Writes random words into the memory that a process shares with its host and with other processes.
    ///
    /// - Parameter name: Of the memory; nil for all.
    /// - Returns: Whether the machine permits it.
    static func corrupt(
        _ process: pid_t, only name: String = "", _ random: inout SeededGenerator
    ) -> Bool {
        withMemory(of: process, "/memfd:\(name)", " rw-s ") { memory, start, end in
            for _ in 0..<2000 {
                // The heads of channels, 256 KiB apart, more often than other places.
                let channels = min((end - start) >> 18, 64)
                let place =
                    Bool.random(using: &random)
                    ? UInt64.random(in: 0..<max(channels, 1), using: &random) << 18
                        + UInt64.random(in: 0..<40, using: &random) * 4
                    : UInt64.random(in: 0..<min(end - start, 1 << 24), using: &random) & ~3
                let words: [UInt32] = [0, 1, 2, .max, UInt32(truncatingIfNeeded: random.next())]
                var word = words.randomElement(using: &random) ?? 0
                _ = pwrite(memory, &word, 4, off_t(start + place))
            }
        }
    }

    /// Reads a byte of each page of the memory that a process may only read, which fills the pages.
    ///
    /// - Returns: How many; nil if the machine does not permit it.
    static func readPages(of process: pid_t) -> Int? {
        var count = 0
        let isPermitted = withMemory(of: process, "/memfd:", " r--s ") { memory, start, end in
            for place in Swift.stride(from: start, to: end, by: 4096) {
                var byte: UInt8 = 0
                count += max(pread(memory, &byte, 1, off_t(place)), 0)
            }
        }
        return isPermitted ? count : nil
    }

    /// Calls a function with each range of a process's memory whose line in `/proc` has two texts.
    private static func withMemory(
        of process: pid_t, _ name: String, _ rights: String,
        _ body: (_ memory: Int32, _ start: UInt64, _ end: UInt64) -> Void
    ) -> Bool {
        guard let maps = try? readFile("/proc/\(process)/maps") else { return true }
        let memory = open("/proc/\(process)/mem", O_RDWR | O_CLOEXEC)
        guard memory >= 0 else { return errno != EACCES && errno != EPERM }
        defer { close(memory) }
        let lines = String(decoding: maps, as: UTF8.self).split(separator: "\n")
        for line in lines where line.contains(name) && line.contains(rights) {
            let range = line.prefix { $0 != " " }.split(separator: "-")
            guard range.count == 2, let start = UInt64(range[0], radix: 16),
                let end = UInt64(range[1], radix: 16)
            else { continue }
            body(memory, start, end)
        }
        return true
    }
}
