internal import CLinux
internal import CSeccomp
import Glibc

/// The result of ``SandboxNotifier/handleOne()``.
package enum SandboxNotice: Sendable, Equatable {
    /// No notification is waiting, or its caller is gone.
    case nothing
    /// A system call was answered; no refusal to log.
    case answered
    /// A system call was refused, for the log. Each refusal is reported once.
    case refused(SandboxRefusal)
    /// The process has exited, or the descriptor is invalid. No more notifications follow.
    case ended
}

/// The host's side of a sandbox: answers the system calls that the filter does not allow, and names
/// the missing grant.
///
/// Use the notifier on one thread at a time. The notifier never waits: if a plugin exits or changes
/// its arguments, only the explanation is lost.
///
/// Unchecked, because pointers aren't `Sendable`. Safe: this value alone has the pointers, to
/// memory that it allocated, and it can't be copied, so one thread at a time uses them.
package struct SandboxNotifier: ~Copyable, @unchecked Sendable {
    /// The descriptor of notifications. Poll it for reading, then call ``handleOne()``.
    package let descriptor: Int32

    private let process: Int32
    private let allowsNetwork: Bool
    private let granted: GrantedPaths
    /// Opens and changes files for the plugin; nil if the kernel has Landlock or the host cannot
    /// open files for other processes.
    private let broker: FileBroker?
    /// Whether Landlock decides about opening files. Without Landlock and a broker, the notifier
    /// checks the path's current file. The plugin may change the path meanwhile, so the report
    /// promises nothing.
    private let hasLandlock: Bool
    private let request: UnsafeMutablePointer<seccomp_notif>
    private let answer: UnsafeMutablePointer<seccomp_notif_resp>
    private var reported: Set<String> = []

    /// Limit of different refusals to report: a plugin can produce any number.
    private static let reportLimit = 64

    /// Takes ownership of a descriptor. Deinit closes it.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor that ``Sandbox/apply(_:host:handOver:)`` sent.
    ///   - process: The plugin's process.
    ///   - policy: The policy that was applied.
    ///   - report: The result of applying it.
    /// - Returns: Nil, with the descriptor closed, if memory runs out.
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
        granted = GrantedPaths(policy, process: process)
        hasLandlock = report.has(.landlock)
        broker = report.hasFileBroker ? FileBroker(granted: granted, process: process) : nil
    }

    deinit {
        seccomp_notify_free(request, answer)
        close(descriptor)
    }

    /// Answers a waiting system call, if any.
    package mutating func handleOne() -> SandboxNotice {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 0) == 1 else { return .nothing }
        guard waiting.revents & Int16(POLLIN) != 0 else { return .ended }
        // The kernel requires zeroed memory.
        request.pointee = seccomp_notif()
        guard seccomp_notify_receive(descriptor, request) == 0 else {
            // ENOENT: the caller is gone. EINTR: a signal. Other errors: the descriptor is not of
            // seccomp.
            return errno == ENOENT || errno == EINTR ? .nothing : .ended
        }

        let decision = decideWithoutCapabilities()
        guard respond(decision.answer) else { return .nothing }
        guard let refusal = decision.refusal, reported.count <= Self.reportLimit,
            reported.insert(refusal.text).inserted
        else { return .answered }
        return .refused(reported.count <= Self.reportLimit ? refusal : .tooMany)
    }
}

// MARK: Answers

extension SandboxNotifier {
    /// Answers the waiting call.
    ///
    /// - Returns: Whether the caller still existed.
    private borrowing func respond(_ decision: Decision.Answer) -> Bool {
        answer.pointee = seccomp_notif_resp()
        answer.pointee.id = request.pointee.id
        switch decision {
        case .proceed: answer.pointee.flags = UInt32(greenroom_seccomp_continue)
        case .done: break
        case .fail(let error): answer.pointee.error = -error
        case .give(let file, let flags):
            defer { close(file) }
            if greenroom_seccomp_give(
                descriptor, request.pointee.id, file, flags & O_CLOEXEC) >= 0
            {
                return true
            }
            guard broker != nil else {
                // The kernel can't install descriptors, or the caller has too many open files.
                answer.pointee.flags = UInt32(greenroom_seccomp_continue)
                break
            }
            let number = greenroom_seccomp_install(
                descriptor, request.pointee.id, file, flags & O_CLOEXEC)
            answer.pointee.val = Int64(max(0, number))
            answer.pointee.error = number < 0 ? -errno : 0
        }
        return seccomp_notify_respond(descriptor, answer) == 0
    }
}

// MARK: Decisions

extension SandboxNotifier {
    /// The answer to a call, and the refusal to report.
    private struct Decision {
        enum Answer {
            /// The kernel executes the call.
            case proceed
            /// The call succeeds and does nothing.
            case done
            /// The call fails.
            case fail(Int32)
            /// The call returns this file of the host, opened with these flags. The answer closes
            /// the host's descriptor.
            case give(file: Int32, flags: Int32)
        }

        var answer = Answer.proceed
        var refusal: SandboxRefusal?

        static let proceed = Decision()
    }

    /// Decides about the call. If the host acts for the plugin, it first drops its capabilities: as
    /// root it could open files that the kernel hides from the plugin.
    private borrowing func decideWithoutCapabilities() -> Decision {
        guard !hasLandlock else { return decide() }
        let effective = greenroom_suspend_capabilities()
        defer { greenroom_resume_capabilities(effective) }
        return decide()
    }

    private borrowing func decide() -> Decision {
        let call = request.pointee.data
        let name = Self.name(of: call)
        if let pathCall = PathCall.byName[name] {
            if let broker { return make(pathCall, with: broker) }
            return pathCall.openFlags == nil ? decideChange(pathCall) : decideOpening(pathCall)
        }
        if name == "clone", SystemCallGroup.makesThread(argument(0)) { return decideThread() }
        if name == "bind", allowsNetwork { return bind() }
        if name == "setpriority", let answer = decidePriority() {
            return Decision(answer: answer)
        }
        // A thread may change its own scheduling by number as well as by 0. GLib uses the number.
        if Self.scheduling.contains(name),
            argument(0) == UInt64(UInt32(truncatingIfNeeded: request.pointee.pid))
        {
            return .proceed
        }
        // A program that copies a file sets the original's mode. The copy usually has that mode
        // already.
        if name == "fchmod", fileHasMode(argument(1)) { return Decision(answer: .done) }
        return Decision(
            answer: .fail(EPERM),
            refusal: .call(
                name, arguments: (call.args.0, call.args.1), allowsNetwork: allowsNetwork))
    }

    /// Calls that are allowed for the calling thread.
    private static let scheduling: Set<String> = [
        "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler",
    ]

    /// Decides about opening a file. If the kernel has Landlock, this only predicts Landlock's
    /// decision, for the log.
    private borrowing func decideOpening(_ call: PathCall) -> Decision {
        let flags = Int32(truncatingIfNeeded: argument(call.openFlags ?? 0))
        guard flags & Int32(greenroom_open_path) == 0, let name = call.names.first,
            let path = path(name)
        else { return .proceed }
        if flags & O_ACCMODE == O_RDONLY, let file = openStatusOfThread(path) {
            return Decision(answer: .give(file: file, flags: flags))
        }
        let writes = flags & O_ACCMODE != O_RDONLY || flags & O_TRUNC != 0
        guard let existing = canonicalPath(path) else {
            // Libraries look for many files that do not exist. Do not report these as refusals.
            guard flags & O_CREAT != 0, let place = resolvingFolder(path),
                !granted.coverChanges(in: place.folder)
            else { return .proceed }
            return refuse(.file("make", place.path, grant: .write, for: place.folder))
        }
        var status = stat()
        guard stat(existing, &status) == 0 else { return .proceed }
        let kind = status.st_mode & S_IFMT
        let access: PathGrant.Access =
            kind == S_IFCHR || kind == S_IFBLK ? .device : writes ? .write : .read
        guard !granted.cover(existing, for: writes ? access : .read) else { return .proceed }
        if !writes, SystemPath.looks.contains(existing) { return refuse(nil) }
        if writes, existing.hasPrefix("/proc/\(process)/") {
            return refuse(
                SandboxRefusal(
                    text: "denied: write \(existing); its entry in /proc is read-only. Let "
                        + "each thread name itself"))
        }
        return refuse(
            .file(writes ? "write" : "read", existing, grant: access, for: existing))
    }

    private borrowing func refuse(_ refusal: SandboxRefusal?) -> Decision {
        Decision(answer: hasLandlock ? .proceed : .fail(EACCES), refusal: refusal)
    }

    /// Opens the status of a thread. libdispatch reads it and crashes without access. libdispatch
    /// uses `/proc/THREAD/stat`, which no grant covers: the granted path is
    /// `/proc/self/task/THREAD/stat`. The host opens the granted path, even if the plugin has
    /// changed the name meanwhile.
    private borrowing func openStatusOfThread(_ path: String) -> Int32? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "", parts[1] == "proc", parts[3] == "stat",
            let thread = Int32(parts[2]), thread > 0
        else { return nil }
        let file = open("/proc/\(process)/task/\(thread)/stat", O_RDONLY | O_CLOEXEC)
        return file >= 0 ? file : nil
    }

    /// Lets a thread of the plugin lower its priority. Raising it succeeds without effect and
    /// without a log line: libdispatch tries for each worker, and writes to the system's log if the
    /// call fails.
    ///
    /// - Returns: The answer; nil if the call names another process.
    private borrowing func decidePriority() -> Decision.Answer? {
        let thread = Int32(truncatingIfNeeded: argument(1))
        let caller = thread == 0 ? Int32(request.pointee.pid) : thread
        guard UInt32(truncatingIfNeeded: argument(0)) == PRIO_PROCESS.rawValue,
            access("/proc/\(process)/task/\(caller)", F_OK) == 0
        else { return nil }
        errno = 0
        let now = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(caller))
        let isLess = Int32(truncatingIfNeeded: argument(2)) >= now
        return errno == 0 && isLess ? .proceed : .done
    }

    /// Checks the number of the process's threads. The kernel's own limit counts the threads of all
    /// of the user's programs, and does not apply to root.
    private borrowing func decideThread() -> Decision {
        var folder = stat()
        // A folder's link count is the number of its subfolders plus two.
        guard stat("/proc/\(process)/task", &folder) == 0,
            folder.st_nlink >= ResourceLimits.threadsOfProcess + 2
        else { return .proceed }
        return Decision(answer: .fail(EAGAIN), refusal: .tooManyThreads)
    }

    /// Binds a socket for the plugin. Refuses Unix sockets, which would become files.
    private borrowing func bind() -> Decision {
        let length = Int(clamping: argument(2))
        let caller = ObservedProcess(process: process, thread: Int32(request.pointee.pid))
        guard length <= MemoryLayout<sockaddr_storage>.size,
            let address = caller.bytes(at: argument(1), count: length),
            seccomp_notify_id_valid(descriptor, request.pointee.id) == 0
        else { return Decision(answer: .fail(EINVAL)) }
        let error = greenroom_bind_for(
            process, Int32(truncatingIfNeeded: argument(0)), address, UInt32(address.count))
        return switch error {
        case 0: Decision(answer: .done)
        case EAFNOSUPPORT: Decision(answer: .fail(EACCES), refusal: .socketFile)
        case ENOSYS: Decision(answer: .fail(EACCES), refusal: .uncheckedSocket)
        default: Decision(answer: .fail(error))
        }
    }

    /// Refuses changes in folders without a grant. Landlock decides about all other changes.
    private borrowing func decideChange(_ call: PathCall) -> Decision {
        for name in call.names {
            guard let path = path(name), let place = resolvingFolder(path) else { continue }
            if granted.coverChanges(in: place.folder) { continue }
            return Decision(
                answer: .fail(EACCES),
                refusal: .file(call.verb, place.path, grant: .write, for: place.folder))
        }
        return .proceed
    }

    /// Executes a call for the plugin.
    private borrowing func make(_ call: PathCall, with broker: FileBroker) -> Decision {
        var paths: [String] = []
        for name in call.names {
            guard let path = path(name) else { return Decision(answer: .fail(EACCES)) }
            paths.append(path)
        }
        let option = call.option.map { argument($0) } ?? 0
        let mode = mode_t(truncatingIfNeeded: option) & 0o777
        var flags = O_CREAT | O_WRONLY | O_TRUNC
        do throws(FileBroker.AccessError) {
            if let change = call.change, change != .makeFile {
                try broker.change(change, paths, option: option)
                return Decision(answer: .done)
            }
            if let place = call.openFlags {
                flags = Int32(truncatingIfNeeded: argument(place))
                // A descriptor with O_PATH gives no right to the file.
                if flags & Int32(greenroom_open_path) != 0 { return .proceed }
                if flags & O_ACCMODE == O_RDONLY, let file = openStatusOfThread(paths[0]) {
                    return Decision(answer: .give(file: file, flags: flags))
                }
            }
            let file = try broker.open(paths[0], flags: flags, mode: mode)
            return Decision(answer: .give(file: file, flags: flags))
        } catch {
            switch error {
            case .system(let code): return Decision(answer: .fail(code))
            case .ungranted(let path, let access, let folder):
                if access == .read, SystemPath.looks.contains(path) {
                    return Decision(answer: .fail(EACCES))
                }
                let verb =
                    call.change != nil
                    ? call.verb : folder != nil ? "make" : access == .read ? "read" : "write"
                return Decision(
                    answer: .fail(EACCES),
                    refusal: .file(verb, path, grant: access, for: folder ?? path))
            }
        }
    }

    /// Whether the file of the call's descriptor already has this mode.
    private borrowing func fileHasMode(_ mode: UInt64) -> Bool {
        let descriptor = Int32(truncatingIfNeeded: argument(0))
        var status = stat()
        return stat("/proc/\(request.pointee.pid)/fd/\(descriptor)", &status) == 0
            && UInt64(status.st_mode & 0o7777) == mode
    }

    /// The absolute path in a call; nil if the path cannot be read.
    private borrowing func path(_ name: PathCall.Name) -> String? {
        let caller = ObservedProcess(process: process, thread: Int32(request.pointee.pid))
        guard let text = caller.path(at: argument(name.path)) else { return nil }
        let folder = name.folder.map { Int32(truncatingIfNeeded: argument($0)) }
        let path = caller.absolute(text, relativeTo: folder)
        // If the caller is gone, its thread id may belong to another process.
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
