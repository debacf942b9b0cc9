internal import CSeccomp
import Glibc
import SystemPackage

/// The layer that filters system calls: seccomp.
enum SystemCallFilter {
    /// The answer that has the host asked.
    static let notifying = greenroom_seccomp_notify
    /// The answer that refuses.
    static let refusing = greenroom_seccomp_error(EPERM)

    /// The same without an error, as the kernel is asked whether it knows it.
    static let refusingKind = greenroom_seccomp_error(0)

    /// What there is, in words.
    static func summary(notifies: Bool) -> String {
        notifies
            ? "system calls; the host names what was refused"
            : "system calls; the kernel can't tell the host what was refused"
    }

    /// Puts this process under the filters.
    ///
    /// - Parameter landlock: Whether Landlock decides about files.
    /// - Returns: The entry of the report, and where the host hears of refusals.
    static func apply(
        _ policy: SandboxPolicy, landlock: Bool
    ) -> (entry: SandboxReport.Entry, notifyDescriptor: Int32?) {
        do throws(FilterError) {
            // Filters add up and the sternest answer counts, so what is refused by its arguments
            // needs no place in the list of what is allowed.
            let refusals = try FilterBuilder(default: greenroom_seccomp_allow)
            for group in SystemCallGroup.refused {
                for call in group.calls { try refusals.answer(call, refusing) }
            }
            try refusals.load()
            let allowed = SystemCallGroup.allowed(
                process: getpid(), allowsNetwork: policy.allowsNetwork)
            if let descriptor = try? load(allowed, else: notifying) {
                return (entry(.on, summary(notifies: true)), descriptor)
            }
            // An old kernel, or somebody listens already to all that this process does.
            var files = PathCall.opening
            if landlock, !policy.writePaths.isEmpty { files += PathCall.changing }
            let group = SystemCallGroup(
                name: "files", calls: files.map { SystemCall(stringLiteral: $0.name) })
            _ = try load(allowed + [group], else: refusing)
            return (entry(.on, summary(notifies: false)), nil)
        } catch {
            return (entry(.unavailable, "\(Errno(rawValue: error.code))"), nil)
        }
    }

    private static func load(
        _ groups: [SystemCallGroup], else answer: UInt32
    ) throws(FilterError) -> Int32? {
        let filter = try FilterBuilder(default: answer)
        for group in groups {
            for call in group.calls { try filter.answer(call, greenroom_seccomp_allow) }
        }
        for call in SystemCallGroup.unknown {
            try filter.answer(call, greenroom_seccomp_error(ENOSYS))
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

/// An error of the system, by its code.
private struct FilterError: Error {
    var code: Int32
}

/// The owner of a filter that is being made.
private struct FilterBuilder: ~Copyable {
    private let context: scmp_filter_ctx

    /// Makes a filter that answers all calls the same.
    init(default answer: UInt32) throws(FilterError) {
        guard let context = seccomp_init(answer) else { throw FilterError(code: EINVAL) }
        // Calls in the manner of another architecture, whose numbers mean other things. The
        // process ends and not one thread of it, which would leave the others waiting.
        let result = seccomp_attr_set(
            context, SCMP_FLTATR_ACT_BADARCH, greenroom_seccomp_kill)
        guard result == 0 else {
            seccomp_release(context)
            throw FilterError(code: -result)
        }
        self.context = context
    }

    deinit { seccomp_release(context) }

    /// Answers a call otherwise.
    func answer(_ call: SystemCall, _ answer: UInt32) throws(FilterError) {
        let number = seccomp_syscall_resolve_name(call.name)
        // A name that this version of the library does not know is a call that stays refused.
        guard number != unknownCall else { return }
        let conditions = call.conditions.map {
            scmp_arg_cmp(
                arg: $0.argument, op: SCMP_CMP_MASKED_EQ, datum_a: $0.mask, datum_b: $0.value)
        }
        try check(
            seccomp_rule_add_array(
                context, answer, number, UInt32(conditions.count), conditions))
    }

    /// Puts this process under the filter.
    func load() throws(FilterError) { try check(seccomp_load(context)) }

    /// Where its notifications are read.
    var notifyDescriptor: Int32? {
        let descriptor = seccomp_notify_fd(context)
        return descriptor >= 0 ? descriptor : nil
    }

    private func check(_ result: Int32) throws(FilterError) {
        guard result == 0 else { throw FilterError(code: -result) }
    }

    /// `__NR_SCMP_ERROR`
    private var unknownCall: Int32 { -1 }
}
