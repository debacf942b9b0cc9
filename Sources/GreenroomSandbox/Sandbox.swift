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
    ///   - policy: The grants of the plugin.
    ///   - host: The process that started this one. If the host has exited already, this process
    ///     ends. The kernel watches the thread that started this process, so that thread must live
    ///     as long as the host.
    ///   - handOver: Sends the host the descriptor of refusals, for ``SandboxNotifier``, and
    ///     returns whether the send worked. Not called if the kernel cannot notify. Until the host
    ///     listens, each call that opens a file waits.
    /// - Returns: The state of each layer.
    /// - Throws: ``SandboxError`` if the policy requires layers that the kernel lacks, or the
    ///   descriptor cannot be sent. The available layers are then on, and the process can only
    ///   report the error and exit.
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
        // Check this before filtering, because the filter refuses the calls of the check.
        let hasBroker = landlock.version == 0 && greenroom_opens_for_others() != 0
        let filter = SystemCallFilter.apply(policy, landlock: landlock.isPossible)
        report.hasFileBroker = hasBroker && filter.notifyDescriptor != nil
        var entry = landlock.apply(showsProcesses: filter.notifyDescriptor == nil)
        if report.hasFileBroker { entry.text += brokerText }
        report.entries.append(entry)
        report.entries.append(filter.entry)
        if missing(of: report, policy.mode) != nil {
            // Close the descriptor: the host does not answer it, so calls must fail instead of
            // waiting.
            if let descriptor = filter.notifyDescriptor { close(descriptor) }
            try requireLayers(of: report, policy.mode)
        }
        if let descriptor = filter.notifyDescriptor {
            let isSent = handOver(descriptor)
            // A plugin with this descriptor could allow any system call.
            close(descriptor)
            guard isSent else {
                throw SandboxError(
                    description: "the host can't get the descriptor of refused calls: too many "
                        + "descriptors are in flight between this user's processes; raise ulimit -n",
                    report: report)
            }
        }
        ResourceLimits.limitOpenFiles(in: &report)
        try requireLayers(of: report, policy.mode)
        return report
    }

    private static let brokerText = "; the host opens files for it"

    /// The missing layers that a plugin requires to start.
    private static func missing(
        of report: SandboxReport, _ mode: SandboxPolicy.Mode
    ) -> String? {
        switch mode {
        case .require: report.shortfall
        case .on: report.gap
        case .partial, .off: nil
        }
    }

    private static func requireLayers(
        of report: SandboxReport, _ mode: SandboxPolicy.Mode
    ) throws(SandboxError) {
        guard let missing = missing(of: report, mode) else { return }
        throw SandboxError(
            description: "this kernel lacks parts of the sandbox: \(missing); a newer kernel "
                + "has them; sandbox: partial starts without them",
            report: report)
    }

    /// Protects this process's memory and descriptors from plugins' processes, if the kernel lacks
    /// a layer that does so. Call this before such a process starts. Afterwards this process writes
    /// no core dump, and only the superuser can debug it.
    ///
    /// - Parameter report: The layers that the kernel supports.
    package static func protectHost(given report: SandboxReport = available) {
        guard !report.has(.landlock) || !report.has(.seccomp) else { return }
        _ = greenroom_hide_from_processes()
    }

    /// The layers that this machine supports. Detecting them changes nothing.
    package static let available = look()

    private static func look() -> SandboxReport {
        let landlock = greenroom_landlock_version()
        let landlockError = errno
        let filters = greenroom_seccomp_knows(SystemCallFilter.refusingKind)
        let filtersError = errno
        let notifies = filters == 0 && greenroom_seccomp_notifies() != 0
        func entry(_ layer: SandboxLayer, _ has: Bool, _ text: String) -> SandboxReport.Entry {
            .init(layer: layer, state: has ? .on : .unavailable, text: text)
        }
        let hasFileBroker =
            landlock <= 0 && notifies && greenroom_opens_for_others() != 0
        var report = SandboxReport(entries: [
            entry(
                .diesWithHost, greenroom_parent_death_signal() >= 0,
                "the kernel kills it with its host"),
            entry(
                .limits, true,
                "memory, file sizes, open files, pending signals, "
                    + "\(getuid() != 0 ? "threads, " : "")core dumps"),
            entry(
                .noNewPrivileges, greenroom_no_new_privileges() >= 0,
                "for it and its child processes"),
            entry(.capabilities, greenroom_has_capabilities() >= 0, "all are dropped"),
            landlock > 0
                ? entry(.landlock, true, Landlock.summary(version: Int(landlock)))
                : entry(
                    .landlock, false,
                    Landlock.unavailableReason(landlockError) + (hasFileBroker ? brokerText : "")),
            filters == 0
                ? entry(.seccomp, true, SystemCallFilter.summary(notifies: notifies))
                : entry(.seccomp, false, "\(Errno(rawValue: filtersError))"),
        ])
        report.hasFileBroker = hasFileBroker
        return report
    }
}

// MARK: The small layers

extension Sandbox {
    private static func dieWithHost(_ host: Int32) -> SandboxReport.Entry {
        let result = greenroom_set_parent_death_signal(SIGKILL)
        let error = errno
        // If the parent differs, the host exited before the call above.
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
            layer: .capabilities, state: .on, text: had ? "all dropped" : "none to drop")
    }
}
