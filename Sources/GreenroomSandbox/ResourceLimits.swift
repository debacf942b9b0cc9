internal import CLinux
import Glibc
import GreenroomSystem
import SystemPackage

/// The layer of limits that the kernel keeps for each process.
enum ResourceLimits {
    /// How many files a process may have open.
    static let openFiles: UInt64 = 256
    /// How many threads a user may have. The kernel counts all of the user's programs, so the
    /// limit is far above what a plugin needs and far below what hurts the machine.
    static let threads: UInt64 = 4096

    /// The most private memory that may be mapped for writing, in bytes.
    ///
    /// A backstop for the time until the host looks again. The kernel counts what is mapped and
    /// not what is used: 8 MB for the stack of each thread, which is what the gigabyte is for,
    /// and terabytes where a sanitizer is built in, which are there before.
    static func dataBytes(memoryLimit: UInt64, mapped: UInt64) -> UInt64 {
        var sum: UInt64 = 1 << 30
        for part in [memoryLimit, memoryLimit, mapped] {
            let (next, overflows) = sum.addingReportingOverflow(part)
            if overflows { return .max }
            sum = next
        }
        return sum
    }

    /// The private memory that this process has mapped for writing, in bytes.
    private static var mappedDataBytes: UInt64 {
        // The sixth number of statm: data and stacks, in pages.
        guard let bytes = try? FileDescriptor.contents(of: "/proc/self/statm"),
            let pages = String(decoding: bytes, as: UTF8.self).split(separator: " ").dropFirst(5)
                .first.flatMap({ UInt64($0) })
        else { return 0 }
        return pages.multipliedReportingOverflow(by: UInt64(max(0, getpagesize()))).partialValue
    }

    static func apply(_ policy: SandboxPolicy) -> SandboxReport.Entry {
        var limits = [
            (Int32(RLIMIT_CORE.rawValue), 0 as UInt64, "core dumps"),
            (
                Int32(RLIMIT_DATA.rawValue),
                dataBytes(
                    memoryLimit: policy.memoryLimitBytes, mapped: mappedDataBytes),
                "memory"
            ),
        ]
        // Also for files in memory, which no other limit counts. Where standard error is a file, a
        // word of the plugin is to be lost and not to kill it.
        if policy.writePaths.isEmpty {
            signal(SIGXFSZ, SIG_IGN)
            limits.append((Int32(RLIMIT_FSIZE.rawValue), 0, "file sizes"))
        }
        // The kernel does not keep it for root.
        if getuid() != 0 {
            limits.append((Int32(greenroom_limit_threads), threads, "threads"))
        }
        return set(limits)
    }

    /// Limits open files, and adds that to the layer's entry.
    ///
    /// Call it after the descriptor of refusals was sent: the kernel lets a process send descriptors
    /// only while fewer than its limit are in flight between all of the user's processes, and
    /// another plugin may keep as many there as its own limit allows.
    static func limitOpenFiles(in report: inout SandboxReport) {
        let entry = set([(Int32(RLIMIT_NOFILE.rawValue), openFiles, "open files")])
        for index in report.entries.indices
        where report.entries[index].layer == .limits && report.entries[index].state == .on {
            let other = report.entries[index].text
            report.entries[index] = entry
            if entry.state == .on { report.entries[index].text = "\(other), \(entry.text)" }
        }
    }

    /// The one limit that is there without a sandbox too.
    static func applyCoreLimit() -> SandboxReport.Entry {
        set([(Int32(RLIMIT_CORE.rawValue), 0, "core dumps")])
    }

    private static func set(
        _ limits: [(resource: Int32, most: UInt64, name: String)]
    ) -> SandboxReport.Entry {
        for limit in limits {
            var value = rlimit()
            guard getrlimit(limit.resource, &value) == 0 else { return failure(limit.name) }
            let most = min(limit.most, UInt64(value.rlim_max))
            value = rlimit(rlim_cur: rlim_t(most), rlim_max: rlim_t(most))
            guard setrlimit(limit.resource, &value) == 0 else { return failure(limit.name) }
        }
        return .init(
            layer: .limits, state: .on, text: limits.map(\.name).joined(separator: ", "))
    }

    private static func failure(_ name: String) -> SandboxReport.Entry {
        .init(
            layer: .limits, state: .unavailable, text: "\(name): \(Errno.last)")
    }
}
