internal import CLinux
import Glibc
import GreenroomSystem
import SystemPackage

/// The sandbox around an isolated plugin's process.
package enum Sandbox {
    /// Puts this process into the sandbox, permanently.
    ///
    /// Call it while the process has one thread, and before any code of the plugin runs.
    ///
    /// - Parameters:
    ///   - policy: What the plugin may do.
    ///   - host: The process that started this one. If it has exited already, this process ends. The
    ///     kernel watches the thread that started this process: that thread must live as long as the
    ///     host.
    ///   - handOver: Sends the host the descriptor of refusals, for ``SandboxNotifier``; returns
    ///     whether that worked. Not called if the kernel can't notify. Until the host listens, each
    ///     call that opens a file waits.
    /// - Returns: Which layers are on.
    /// - Throws: If the policy requires layers that the kernel lacks, or the descriptor can't be sent.
    ///   The layers that exist are on then, and the process can only report the error and exit.
    package static func apply(
        _ policy: SandboxPolicy, host: Int32, handOver: (Int32) -> Bool
    ) throws(SandboxError) -> SandboxReport {
        var report = SandboxReport(entries: [dieWithHost(host)])
        guard policy.mode != .off else {
            report.entries.append(ResourceLimits.applyCoreLimit())
            for layer in SandboxLayer.allCases where layer.rawValue > SandboxLayer.limits.rawValue {
                report.entries.append(.init(layer: layer, state: .off, text: "sandbox: off"))
            }
            return report
        }
        report.entries.append(ResourceLimits.apply(policy))
        report.entries.append(refuseNewPrivileges())
        report.entries.append(dropCapabilities())
        let landlock = Landlock(policy, notes: &report.notes)
        let filter = SystemCallFilter.apply(policy, landlock: landlock.isPossible)
        report.entries.append(landlock.apply(showsProcesses: filter.notifyDescriptor == nil))
        report.entries.append(filter.entry)
        if policy.mode == .require, report.shortfall != nil {
            // Close it: it will not be answered, so calls must fail instead of waiting.
            if let descriptor = filter.notifyDescriptor { close(descriptor) }
            try requireAll(of: report)
        }
        if let descriptor = filter.notifyDescriptor {
            let isSent = handOver(descriptor)
            // A plugin with this descriptor could allow itself everything.
            close(descriptor)
            guard isSent else {
                throw SandboxError(
                    description: "the host can't get the descriptor of refused calls: too many "
                        + "descriptors are in flight between this user's processes; raise ulimit -n",
                    report: report)
            }
        }
        ResourceLimits.limitOpenFiles(in: &report)
        if policy.mode == .require { try requireAll(of: report) }
        return report
    }

    /// Throws if a layer is missing.
    private static func requireAll(of report: SandboxReport) throws(SandboxError) {
        guard let shortfall = report.shortfall else { return }
        throw SandboxError(
            description: "this kernel lacks a part of the sandbox: \(shortfall); a newer kernel "
                + "has it, and sandbox: on does without it",
            report: report)
    }

    /// The layers that this machine supports; changes nothing.
    package static var available: SandboxReport {
        let landlock = greenroom_landlock_version()
        let landlockError = errno
        let filters = greenroom_seccomp_knows(SystemCallFilter.refusingKind)
        let filtersError = errno
        let notifies = greenroom_seccomp_knows(SystemCallFilter.notifying) == 0
        func entry(_ layer: SandboxLayer, _ has: Bool, _ text: String) -> SandboxReport.Entry {
            .init(layer: layer, state: has ? .on : .unavailable, text: text)
        }
        return SandboxReport(entries: [
            entry(
                .diesWithHost, greenroom_parent_death_signal() >= 0,
                "the kernel kills it with its host"),
            entry(
                .limits, true,
                "memory, file sizes, open files, \(getuid() != 0 ? "threads, " : "")core dumps"),
            entry(
                .noNewPrivileges, greenroom_no_new_privileges() >= 0,
                "for it and its child processes"),
            entry(.capabilities, greenroom_has_capabilities() >= 0, "all are dropped"),
            landlock > 0
                ? entry(.landlock, true, Landlock.summary(version: Int(landlock)))
                : entry(.landlock, false, Landlock.unavailableReason(landlockError)),
            filters == 0
                ? entry(.seccomp, true, SystemCallFilter.summary(notifies: notifies))
                : entry(.seccomp, false, "\(Errno(rawValue: filtersError))"),
        ])
    }
}

// MARK: The small layers

extension Sandbox {
    private static func dieWithHost(_ host: Int32) -> SandboxReport.Entry {
        let result = greenroom_set_parent_death_signal(SIGKILL)
        let error = errno
        // The host exited before the call above.
        if getppid() != host { kill(getpid(), SIGKILL) }
        return result == 0
            ? .init(layer: .diesWithHost, state: .on, text: "the kernel kills it with its host")
            : .init(layer: .diesWithHost, state: .unavailable, text: "\(Errno(rawValue: error))")
    }

    private static func refuseNewPrivileges() -> SandboxReport.Entry {
        greenroom_set_no_new_privileges() == 0
            ? .init(layer: .noNewPrivileges, state: .on, text: "for it and its child processes")
            : .init(layer: .noNewPrivileges, state: .unavailable, text: "\(Errno.last)")
    }

    private static func dropCapabilities() -> SandboxReport.Entry {
        let had = greenroom_has_capabilities() > 0
        let result = greenroom_drop_capabilities()
        let error = errno
        guard result == 0, greenroom_has_capabilities() == 0 else {
            return .init(
                layer: .capabilities, state: .unavailable, text: "\(Errno(rawValue: error))")
        }
        return .init(
            layer: .capabilities, state: .on, text: had ? "all dropped" : "it had none")
    }
}
