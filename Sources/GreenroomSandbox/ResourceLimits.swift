internal import CLinux
import Glibc
import GreenroomSystem
import SystemPackage

/// The layer of the kernel's limits for each process.
enum ResourceLimits {
    /// Limit of open files of the process.
    static let openFiles: UInt64 = 1_024
    /// Limit of a memory file or a temporary file, in bytes, if the policy grants no folder to write.
    static let memoryFile = UInt64(SandboxPolicy.temporaryFileLimit)
    /// Limit of the user's threads. The kernel counts all of the user's programs, so the limit is
    /// far above a plugin's needs and far below a number that harms the machine.
    static let threads: UInt64 = 4096
    /// Limit of the process's threads if the kernel asks the host for each new thread. At its next
    /// check the host kills a process with more than 1,024.
    static let threadsOfProcess = 1_280
    /// Limit of the user's timers and queued signals. The kernel counts all of the user's programs.
    static let pendingSignals: UInt64 = 4096

    /// Limit of private writable memory, in bytes.
    ///
    /// A backstop until the host's next check of memory. The kernel counts mapped memory, used or
    /// unused: the extra gigabyte is for stacks of 8 MB per thread. Sanitizers map terabytes before
    /// the process sets the limit, so the limit includes memory that is already mapped.
    static func dataBytes(memoryLimit: UInt64, mapped: UInt64) -> UInt64 {
        var sum: UInt64 = 1 << 30
        for part in [memoryLimit, memoryLimit, mapped] {
            let (next, overflows) = sum.addingReportingOverflow(part)
            if overflows { return .max }
            sum = next
        }
        return sum
    }

    /// The private writable memory of this process, in bytes.
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
            (Int32(greenroom_limit_signals), pendingSignals, "pending signals"),
        ]
        // The kernel counts memory files as files, and no other limit includes them. Ignore the
        // signal: if standard error is a file, the plugin loses a message and its process survives.
        if policy.writePaths.isEmpty {
            signal(SIGXFSZ, SIG_IGN)
            limits.append(
                (
                    Int32(RLIMIT_FSIZE.rawValue),
                    policy.makesMemory || policy.temporaryFolder != nil ? memoryFile : 0,
                    "file sizes"
                ))
        }
        // The kernel does not enforce the limit of threads for root.
        if getuid() != 0 {
            limits.append((Int32(greenroom_limit_threads), threads, "threads"))
        }
        return set(limits)
    }

    /// Limits open files, and adds the limit to the layer's entry.
    ///
    /// Call this after the refusal descriptor was sent. A process can send descriptors only while
    /// the user's processes together have fewer in flight than its limit. Another plugin may keep
    /// as many in flight as its own limit allows.
    static func limitOpenFiles(in report: inout SandboxReport) {
        let entry = set([(Int32(RLIMIT_NOFILE.rawValue), openFiles, "open files")])
        for index in report.entries.indices
        where report.entries[index].layer == .limits && report.entries[index].state == .on {
            let other = report.entries[index].text
            report.entries[index] = entry
            if entry.state == .on { report.entries[index].text = "\(other), \(entry.text)" }
        }
    }

    /// Disables core dumps, the only limit that applies without a sandbox.
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
