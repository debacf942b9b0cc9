import Glibc
import GreenroomSandbox

/// The host's part of the probe.
enum HostRole {
    /// The host's view of the sandbox on the simulated kernel.
    private static func report(of job: ProbeJob) -> SandboxReport {
        var report = Sandbox.available
        for index in report.entries.indices {
            let isTaken =
                [.landlock: "landlock", .seccomp: "seccomp"][report.entries[index].layer]
                .map(job.without.contains) ?? false
            if isTaken { report.entries[index].state = .unavailable }
        }
        report.hasFileBroker =
            !report.has(.landlock) && report.has(.seccomp)
            && !job.without.contains("notifications") && !job.without.contains("openat2")
        return report
    }

    static func run(_ job: ProbeJob, words: [String]) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else { exit(3) }
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        let host = job.isOrphan ? 1 : getpid()
        Sandbox.protectHost(given: report(of: job))
        let plugin = start(
            ["--plugin", "--socket", "\(ends[1])", "--host", "\(host)"] + words)
        close(ends[1])

        var notifier: SandboxNotifier?
        var isOpen = true
        var refusalsMayCome = true
        while isOpen || refusalsMayCome {
            var waiting = [
                pollfd(fd: isOpen ? ends[0] : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: -1, events: Int16(POLLIN), revents: 0),
            ]
            if refusalsMayCome, let descriptor = notifier?.descriptor { waiting[1].fd = descriptor }
            guard isOpen || waiting[1].fd >= 0, poll(&waiting, 2, 20_000) > 0 else { break }
            if waiting[1].revents != 0, let notice = notifier?.handleOne() {
                if case .refused(let refusal) = notice { print("refused \(refusal.text)") }
                if notice == .ended { refusalsMayCome = false }
            }
            if waiting[0].revents != 0 {
                guard let message = receive(from: ends[0]) else {
                    isOpen = false
                    continue
                }
                if message.text == "ready" {
                    if let file = job.abandon { leave(plugin, in: file) }
                    if let descriptor = message.descriptor {
                        if job.isDeaf {
                            close(descriptor)
                        } else {
                            notifier = SandboxNotifier(
                                descriptor: descriptor, process: plugin, policy: job.policy,
                                report: report(of: job))
                        }
                    }
                } else {
                    print(message.text)
                }
            }
        }
        var status: Int32 = 0
        while waitpid(plugin, &status, 0) == -1, errno == EINTR {}
        print(status & 0x7f == 0 ? "exit \((status >> 8) & 0xff)" : "signal \(status & 0x7f)")
    }

    /// Starts this program again.
    private static func start(_ words: [String]) -> Int32 {
        let program = CommandLine.arguments[0]
        var pointers = ([program] + words).map { strdup($0) } + [nil]
        defer { pointers.forEach { free($0) } }
        var process: Int32 = 0
        guard posix_spawn(&process, "/proc/self/exe", nil, nil, &pointers, environ) == 0 else {
            exit(3)
        }
        return process
    }

    /// Writes down the plugin's process, and ends as a host ends that is killed.
    private static func leave(_ plugin: Int32, in file: String) {
        guard let stream = fopen(file + ".new", "w") else { exit(3) }
        fputs("\(plugin)", stream)
        fclose(stream)
        rename(file + ".new", file)
        kill(getpid(), SIGKILL)
    }
}

/// A message, perhaps with a descriptor.
struct ProbeMessage {
    var text: String
    var descriptor: Int32?
}

/// A control message with one descriptor, as the kernel lays it out where pointers have 64 bits.
private struct DescriptorMessage {
    var length = 20
    var level = SOL_SOCKET
    var kind: Int32 = 1  // SCM_RIGHTS
    var descriptor: Int32 = -1
    var padding: Int32 = 0
}

/// Sends a message.
func send(_ message: ProbeMessage, to socket: Int32) {
    var control = DescriptorMessage()
    if let descriptor = message.descriptor { control.descriptor = descriptor }
    exchange(Array(message.text.utf8), &control) { header in
        if message.descriptor == nil {
            header.msg_control = nil
            header.msg_controllen = 0
        }
        _ = sendmsg(socket, &header, Int32(MSG_NOSIGNAL))
    }
}

/// Receives a message; nil at the end.
func receive(from socket: Int32) -> ProbeMessage? {
    var control = DescriptorMessage()
    var count = 0
    var hasControl = false
    let bytes = exchange([UInt8](repeating: 0, count: 4096), &control) { header in
        count = recvmsg(socket, &header, 0)
        hasControl = header.msg_controllen >= 20
    }
    guard count > 0 else { return nil }
    return ProbeMessage(
        text: String(decoding: bytes[..<count], as: UTF8.self),
        descriptor: hasControl ? control.descriptor : nil)
}

@discardableResult
private func exchange(
    _ bytes: [UInt8], _ control: inout DescriptorMessage, _ call: (inout msghdr) -> Void
) -> [UInt8] {
    var bytes = bytes
    bytes.withUnsafeMutableBytes { bytes in
        withUnsafeMutableBytes(of: &control) { control in
            var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            withUnsafeMutablePointer(to: &part) { part in
                var header = msghdr()
                header.msg_iov = part
                header.msg_iovlen = 1
                header.msg_control = control.baseAddress
                header.msg_controllen = control.count
                call(&header)
            }
        }
    }
    return bytes
}
