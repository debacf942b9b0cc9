internal import CLinux
internal import CSeccomp
import Glibc

/// What one look at the sandbox's notifications found.
package enum SandboxNotice: Sendable, Equatable {
    /// Nothing was there, or it went away.
    case nothing
    /// A system call was answered; there is nothing to tell.
    case answered
    /// A system call was refused, for the log. Each kind is told once.
    case refused(SandboxRefusal)
    /// The process has ended, or the descriptor was none: no more notifications will come.
    case ended
}

/// The host's side of a sandbox: answers the system calls that a filter does not allow, and
/// says what is missing.
///
/// For one thread at a time. It never waits: a plugin that ends, or changes what it asked for,
/// at any moment costs its explanation and no more.
///
/// Unchecked, because pointers aren't `Sendable`: those of a notifier are of memory that it
/// allocated and nobody else knows, and it can't be copied, so only one thread has it at a time.
package struct SandboxNotifier: ~Copyable, @unchecked Sendable {
    /// Poll it for reading; then call ``handleOne()``.
    package let descriptor: Int32

    private let process: Int32
    private let allowsNetwork: Bool
    private let governsFiles: Bool
    private let granted: GrantedPaths
    private let request: UnsafeMutablePointer<seccomp_notif>
    private let answer: UnsafeMutablePointer<seccomp_notif_resp>
    private var told: Set<String> = []

    /// How many different refusals are told: a plugin can make up any number.
    private static let mostTold = 64

    /// Takes over a descriptor, and closes it in the end.
    ///
    /// - Parameters:
    ///   - descriptor: What ``Sandbox/apply(_:host:)`` left.
    ///   - process: The plugin's process.
    ///   - policy: The policy that was applied.
    ///   - report: What came of it.
    /// - Returns: Nil, with the descriptor closed, if there is no memory.
    package init?(
        descriptor: Int32, process: Int32, policy: SandboxPolicy, report: SandboxReport
    ) {
        var request: UnsafeMutablePointer<seccomp_notif>?
        var answer: UnsafeMutablePointer<seccomp_notif_resp>?
        guard seccomp_notify_alloc(&request, &answer) == 0, let request, let answer else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.process = process
        self.request = request
        self.answer = answer
        allowsNetwork = policy.allowsNetwork
        governsFiles = report.has(.landlock)
        granted = GrantedPaths(policy, process: process)
    }

    deinit {
        seccomp_notify_free(request, answer)
        close(descriptor)
    }

    /// Answers one system call if one is waiting.
    package mutating func handleOne() -> SandboxNotice {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 0) == 1 else { return .nothing }
        guard waiting.revents & Int16(POLLIN) != 0 else { return .ended }
        // The kernel wants the memory empty.
        request.pointee = seccomp_notif()
        guard seccomp_notify_receive(descriptor, request) == 0 else {
            // ENOENT: the caller is gone. Another error: this is no such descriptor.
            return errno == ENOENT || errno == EINTR ? .nothing : .ended
        }

        let decision = decide()
        guard respond(decision.answer) else { return .nothing }
        guard let refusal = decision.refusal, told.count <= Self.mostTold,
            told.insert(refusal.text).inserted
        else { return .answered }
        return .refused(told.count <= Self.mostTold ? refusal : .tooMany)
    }
}

// MARK: Answers

extension SandboxNotifier {
    /// Answers the call that is waiting.
    ///
    /// - Returns: Whether the caller was still there.
    private borrowing func respond(_ decision: Decision.Answer) -> Bool {
        answer.pointee = seccomp_notif_resp()
        answer.pointee.id = request.pointee.id
        switch decision {
        case .goOn: answer.pointee.flags = UInt32(greenroom_seccomp_continue)
        case .done: break
        case .fail(let error): answer.pointee.error = -error
        case .give(let file, let flags):
            defer { close(file) }
            if greenroom_seccomp_give(
                descriptor, request.pointee.id, file, flags & O_CLOEXEC) >= 0
            {
                return true
            }
            // The kernel is too old for gifts, or the caller has too many files open.
            answer.pointee.flags = UInt32(greenroom_seccomp_continue)
        }
        return seccomp_notify_respond(descriptor, answer) == 0
    }
}

// MARK: Decisions

extension SandboxNotifier {
    /// What to answer, and what to tell of it.
    private struct Decision {
        enum Answer {
            /// The kernel goes on with the call.
            case goOn
            /// There is nothing to do; the call succeeds.
            case done
            /// The call fails.
            case fail(Int32)
            /// The call opens this file of the host's, which is closed here; with its flags.
            case give(file: Int32, flags: Int32)
        }

        var answer = Answer.goOn
        var refusal: SandboxRefusal?

        static let goOn = Decision()
    }

    private borrowing func decide() -> Decision {
        let call = request.pointee.data
        let name = Self.name(of: call)
        if let pathCall = PathCall.byName[name] {
            return pathCall.openFlags == nil ? decideChange(pathCall) : decideOpening(pathCall)
        }
        // Copying gives the copy the mode of the original, which it mostly has.
        if name == "fchmod", fileHasMode(argument(1)) { return Decision(answer: .done) }
        return Decision(
            answer: .fail(EPERM),
            refusal: .call(
                name, arguments: (call.args.0, call.args.1), allowsNetwork: allowsNetwork))
    }

    /// The kernel's files layer decides; here it is only foreseen, for the log.
    private borrowing func decideOpening(_ call: PathCall) -> Decision {
        let flags = Int32(truncatingIfNeeded: argument(call.openFlags ?? 0))
        guard governsFiles, flags & Int32(greenroom_open_path) == 0, let name = call.names.first,
            let path = path(name)
        else { return .goOn }
        if flags & O_ACCMODE == O_RDONLY, let file = openStatusOfThread(path) {
            return Decision(answer: .give(file: file, flags: flags))
        }
        let writes = flags & O_ACCMODE != O_RDONLY || flags & O_TRUNC != 0
        guard let existing = canonicalPath(path) else {
            // A look at a file that is not there is no refusal, and libraries take many.
            guard flags & O_CREAT != 0, let place = canonicalPlace(path),
                !granted.cover(place.path, for: .write)
            else { return .goOn }
            return Decision(
                refusal: .file("make", place.path, grant: .write, for: place.folder))
        }
        var status = stat()
        guard stat(existing, &status) == 0 else { return .goOn }
        let kind = status.st_mode & S_IFMT
        let access: PathGrant.Access =
            kind == S_IFCHR || kind == S_IFBLK ? .device : writes ? .write : .read
        guard !granted.cover(existing, for: writes ? access : .read) else { return .goOn }
        return Decision(
            refusal: .file(writes ? "write" : "read", existing, grant: access, for: existing))
    }

    /// Dispatch asks how its threads do, and crashes where it can't. It names them in a way that
    /// no grant covers: `/proc/THREAD/stat`, where the thread's own folder would be below
    /// `/proc/self/task`. So the host opens that, whatever the name has become meanwhile.
    private borrowing func openStatusOfThread(_ path: String) -> Int32? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "", parts[1] == "proc", parts[3] == "stat",
            let thread = Int32(parts[2]), thread > 0
        else { return nil }
        let file = open("/proc/\(process)/task/\(thread)/stat", O_RDONLY | O_CLOEXEC)
        return file >= 0 ? file : nil
    }

    /// Whatever has no grant is refused here; of the rest the kernel's files layer decides.
    private borrowing func decideChange(_ call: PathCall) -> Decision {
        for name in call.names {
            guard let path = path(name), let place = canonicalPlace(path) else {
                if governsFiles { continue }
                return Decision(answer: .fail(EACCES))
            }
            if granted.cover(place.path, for: .write) { continue }
            return Decision(
                answer: .fail(EACCES),
                refusal: .file(call.verb, place.path, grant: .write, for: place.folder))
        }
        return .goOn
    }

    /// Whether the open file that a call is about has a mode already.
    private borrowing func fileHasMode(_ mode: UInt64) -> Bool {
        let descriptor = Int32(truncatingIfNeeded: argument(0))
        var status = stat()
        return stat("/proc/\(request.pointee.pid)/fd/\(descriptor)", &status) == 0
            && UInt64(status.st_mode & 0o7777) == mode
    }

    /// The path that a call names, absolute; nil if it can't be told.
    private borrowing func path(_ name: PathCall.Name) -> String? {
        let caller = ObservedProcess(process: process, thread: Int32(request.pointee.pid))
        guard let text = caller.path(at: argument(name.path)) else { return nil }
        let folder = name.folder.map { Int32(truncatingIfNeeded: argument($0)) }
        let path = caller.absolute(text, relativeTo: folder)
        // Where the caller is gone, its number may be another process's by now.
        guard seccomp_notify_id_valid(descriptor, request.pointee.id) == 0 else { return nil }
        return path
    }

    private borrowing func argument(_ index: Int) -> UInt64 {
        let arguments = request.pointee.data.args
        return switch index {
        case 0: arguments.0
        case 1: arguments.1
        case 2: arguments.2
        case 3: arguments.3
        case 4: arguments.4
        default: arguments.5
        }
    }

    private static func name(of call: seccomp_data) -> String {
        guard let name = seccomp_syscall_resolve_num_arch(call.arch, call.nr) else {
            return "number \(call.nr)"
        }
        defer { free(name) }
        return String(cString: name)
    }
}
