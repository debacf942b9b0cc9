import CDispatch
import CSeccomp
import Glibc
import Synchronization

/// A kernel whose Landlock has an older version: asked for its version it says so, and what a program
/// then makes handles only the rights of that version, as the old kernel did.
enum OlderLandlock {
    private static let version = Atomic<Int>(0)

    /// Adds to a filter, which must be loaded after that.
    static func pretend(version number: Int, in context: scmp_filter_ctx?) {
        version.store(number, ordering: .relaxed)
        var action = sigaction()
        action.__sigaction_handler.sa_sigaction = { _, _, state in
            OlderLandlock.answer(state)
        }
        action.sa_flags = SA_SIGINFO
        let trap: UInt32 = 0x0003_0000
        let asksForVersion = scmp_arg_cmp(arg: 2, op: SCMP_CMP_EQ, datum_a: 1, datum_b: 0)
        guard sigaction(SIGSYS, &action, nil) == 0,
            seccomp_rule_add_array(
                context, trap, seccomp_syscall_resolve_name("landlock_create_ruleset"), 1,
                [asksForVersion]) == 0
        else { exit(5) }
    }

    /// Has the call that was trapped return the version.
    private static func answer(_ state: UnsafeMutableRawPointer?) {
        let registers = state?.assumingMemoryBound(to: ucontext_t.self)
        #if arch(x86_64)
            registers?.pointee.uc_mcontext.gregs.13 = greg_t(version.load(ordering: .relaxed))
        #elseif arch(arm64)
            registers?.pointee.uc_mcontext.regs.0 = UInt64(version.load(ordering: .relaxed))
        #endif
    }
}
