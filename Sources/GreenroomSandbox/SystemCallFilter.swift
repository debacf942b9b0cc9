internal import CSeccomp
import Glibc
import SystemPackage

/// The layer that filters system calls: seccomp.
enum SystemCallFilter {
    /// The filter's action that asks the host.
    static let notifying = greenroom_seccomp_notify
    /// The filter's action that refuses a call with EPERM.
    static let refusing = greenroom_seccomp_error(EPERM)

    /// ``refusing`` without an errno, to query whether the kernel supports the action.
    static let refusingKind = greenroom_seccomp_error(0)

    /// The effect of the filter, for the report.
    static func summary(notifies: Bool) -> String {
        notifies
            ? "system calls; the host names refusals"
            : "system calls; the kernel can't notify the host of refusals"
    }

    /// Filters this process's system calls.
    ///
    /// - Parameter landlock: Whether Landlock decides about files.
    /// - Returns: The report's entry, and the descriptor from which the host reads refusals.
    static func apply(
        _ policy: SandboxPolicy, landlock: Bool
    ) -> (entry: SandboxReport.Entry, notifyDescriptor: Int32?) {
        do throws(Errno) {
            // The kernel takes the strictest answer of all filters, so a refusal by arguments
            // overrides the list of allowed calls.
            let refusals = try FilterBuilder(default: greenroom_seccomp_allow)
            for group in SystemCallGroup.refused {
                for call in group.calls { try refusals.answer(call, refusing) }
            }
            try refusals.load()
            let network = policy.allowsNetwork
            let allowed =
                SystemCallGroup.allowed(
                    process: getpid(), allowsNetwork: network, makesMemory: policy.makesMemory)
                + (policy.program == nil ? [] : [.ownProgram])
                + SystemCallGroup.unasked(allowsNetwork: network, landlock: landlock)
            let missing = SystemCallGroup.missing(
                allowsNetwork: network, makesMemory: policy.makesMemory)
            if let descriptor = try? load(allowed, missing, else: notifying) {
                return (entry(.on, summary(notifies: true)), descriptor)
            }
            // Notification failed: the kernel does not support it, or another process already
            // listens to this process.
            var files = PathCall.opening
            if landlock, !policy.writePaths.isEmpty || policy.temporaryFolder != nil {
                files += PathCall.changing
            }
            let group = SystemCallGroup(
                name: "files", calls: files.map { SystemCall(stringLiteral: $0.name) })
            let asked = SystemCallGroup.asked(allowsNetwork: network, landlock: landlock)
            _ = try load(allowed + asked + [group, .ownPriority], missing, else: refusing)
            return (entry(.on, summary(notifies: false)), nil)
        } catch {
            return (entry(.unavailable, "\(error)"), nil)
        }
    }

    private static func load(
        _ groups: [SystemCallGroup], _ missing: [(call: SystemCall, errno: Int32)],
        else answer: UInt32
    ) throws(Errno) -> Int32? {
        let filter = try FilterBuilder(default: answer)
        for group in groups {
            for call in group.calls { try filter.answer(call, greenroom_seccomp_allow) }
        }
        for (call, errno) in missing {
            try filter.answer(call, greenroom_seccomp_error(errno))
        }
        try filter.load()
        return answer == notifying ? filter.notifyDescriptor : nil
    }

    private static func entry(
        _ state: SandboxReport.State, _ text: String
    ) -> SandboxReport.Entry {
        .init(layer: .seccomp, state: state, text: text)
    }
}

/// Owns a filter that is not yet loaded.
private struct FilterBuilder: ~Copyable {
    private let context: scmp_filter_ctx

    /// Makes a filter with the same answer to all calls.
    init(default answer: UInt32) throws(Errno) {
        guard let context = seccomp_init(answer) else { throw Errno.invalidArgument }
        // Calls of another architecture have other numbers. Kill the process for such calls:
        // killing one thread would leave the others waiting.
        let result = seccomp_attr_set(
            context, SCMP_FLTATR_ACT_BADARCH, greenroom_seccomp_kill)
        guard result == 0 else {
            seccomp_release(context)
            throw Errno(rawValue: -result)
        }
        self.context = context
    }

    deinit { seccomp_release(context) }

    /// Sets the answer to a call.
    func answer(_ call: SystemCall, _ answer: UInt32) throws(Errno) {
        let number = seccomp_syscall_resolve_name(call.name)
        // libseccomp does not know this call, so the filter refuses it.
        guard number != unknownCall else { return }
        let conditions = call.conditions.map {
            scmp_arg_cmp(
                arg: $0.argument, op: SCMP_CMP_MASKED_EQ, datum_a: $0.mask, datum_b: $0.value)
        }
        try check(
            seccomp_rule_add_array(
                context, answer, number, UInt32(conditions.count), conditions))
    }

    /// Applies the filter to this process.
    func load() throws(Errno) { try check(seccomp_load(context)) }

    /// The descriptor for reading the filter's notifications.
    var notifyDescriptor: Int32? {
        let descriptor = seccomp_notify_fd(context)
        return descriptor >= 0 ? descriptor : nil
    }

    private func check(_ result: Int32) throws(Errno) {
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// `__NR_SCMP_ERROR`
    private var unknownCall: Int32 { -1 }
}
