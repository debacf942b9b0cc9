import CSeccomp
import Glibc
import GreenroomSandbox

/// The plugin's part of the probe.
enum PluginRole {
    static func run(_ job: ProbeJob) {
        for part in job.without { takeAway(part) }
        func say(_ text: String, _ descriptor: Int32? = nil) {
            send(ProbeMessage(text: text, descriptor: descriptor), to: job.socket)
        }
        do throws(SandboxError) {
            var isReady = false
            let report = try Sandbox.apply(job.policy, host: job.host) {
                say("ready", $0)
                isReady = true
                return true
            }
            if !isReady { say("ready") }
            for entry in report.entries { say(Probe.line(of: entry)) }
            for note in report.notes { say("note \(note)") }
        } catch {
            say("required \(error)")
            // There is no answer, and nothing waits for one.
            say("result after=\(Action.run("socket:inet", host: job.host))")
            _exit(4)
        }
        for action in job.actions { say("result \(action)=\(Action.run(action, host: job.host))") }
        _exit(0)  // a leak checker would start a process
    }

    /// Makes the kernel an older one, as far as this process can tell.
    static func takeAway(_ part: String) {
        let context = seccomp_init(greenroom_seccomp_allow)
        defer { seccomp_release(context) }
        func refuse(_ name: String, _ error: Int32, _ conditions: [scmp_arg_cmp] = []) {
            let result = seccomp_rule_add_array(
                context, greenroom_seccomp_error(error), seccomp_syscall_resolve_name(name),
                UInt32(conditions.count), conditions)
            if result != 0 { exit(5) }
        }
        switch part {
        case "landlock": refuse("landlock_create_ruleset", ENOSYS)
        // As systemd does with RestrictSUIDSGID=, which DynamicUser= implies (systemd.exec(5)).
        case "openat2": refuse("openat2", ENOSYS)
        // As Docker before 20.10.10 does.
        case "clone3": refuse("clone3", EPERM)
        case "memory files": refuse("memfd_create", EPERM)
        case "landlock 2": OlderLandlock.pretend(version: 1, in: context)
        case "landlock 3": OlderLandlock.pretend(version: 2, in: context)
        case "notifications":
            let newListener: UInt64 = 8
            refuse(
                "seccomp", EINVAL,
                [
                    scmp_arg_cmp(
                        arg: 1, op: SCMP_CMP_MASKED_EQ, datum_a: newListener,
                        datum_b: newListener)
                ])
        case "seccomp":
            let setSeccomp: UInt64 = 22
            refuse("seccomp", ENOSYS)
            refuse(
                "prctl", EINVAL,
                [scmp_arg_cmp(arg: 0, op: SCMP_CMP_EQ, datum_a: setSeccomp, datum_b: 0)])
        default: exit(5)
        }
        if seccomp_load(context) != 0 { exit(5) }
    }
}
