import CSeccomp
import Dispatch
import Foundation
import Glibc
import GreenroomALSA
import GreenroomMedia
import SystemPackage

/// What a plugin may try.
enum Action {
    /// Makes an action, `NAME` or `NAME:ARGUMENT`. `HOST` in it means the host's process.
    ///
    /// - Returns: 0, or the error of the system.
    static func run(_ action: String, host: Int32) -> Int32 {
        let action = action.replacing("HOST", with: "\(host)")
        let parts = action.split(separator: ":", maxSplits: 1).map(String.init)
        let argument = parts.count > 1 ? parts[1] : ""
        switch parts[0] {
        case "read": return open(argument, flags: O_RDONLY)
        case "write": return open(argument, flags: O_WRONLY | O_CREAT | O_TRUNC)
        case "update": return open(argument, flags: O_RDWR)
        case "set-user-id": return open(argument, flags: O_WRONLY | O_CREAT, mode: 0o4755)
        case "set-group-id": return open(argument, flags: O_WRONLY | O_CREAT, mode: 0o2755)
        case "empty": return open(argument, flags: O_RDONLY | O_TRUNC)
        case "open-for-nothing": return open(argument, flags: O_ACCMODE)
        case "relative": return openRelative(argument)
        case "fill": return fill(argument)
        case "mkdir": return error(of: mkdir(argument, 0o755))
        case "unlink": return error(of: unlink(argument))
        case "rename":
            let names = argument.split(separator: ",").map(String.init)
            return error(of: rename(names[0], names[1]))
        case "exchange":
            let names = argument.split(separator: ",").map(String.init)
            let exchange = 2
            return names[0].withCString { old in
                names[1].withCString { new in
                    call(
                        "renameat2,-100,\(Int(bitPattern: old)),-100,\(Int(bitPattern: new)),"
                            + "\(exchange)")
                }
            }
        case "bind":
            let parts = argument.split(separator: ",").map(String.init)
            return bind(parts[0], parts.count > 1 ? parts[1] : "")
        case "frame-number": return readFrameNumber()
        case "kernel-stack": return readKernelStack()
        case "timers": return makeTimers(Int(argument) ?? 0)
        case "pipe-size":
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return errno }
            return fcntl(ends[1], 1031, Int32(argument) ?? 0) >= 0 ? 0 : errno
        case "resting-threads": return startResting(Int(argument) ?? 0)
        case "symlink": return error(of: symlink("/etc/passwd", argument))
        case "chmod": return error(of: chmod(argument, 0o777))
        case "truncate": return error(of: truncate(argument, 0))
        case "list": return list(argument)
        case "socket": return makeSocket(argument)
        case "socketpair": return makeSocketPair(argument)
        case "connect": return connectTo(port: argument)
        case "fork": return fork()
        case "spawn": return spawn(argument)
        case "kill-host": return error(of: kill(host, SIGKILL))
        case "kill-group": return error(of: kill(0, SIGURG))
        case "abort": abort()
        case "own-scheduling":
            // The main thread by its number.
            var parameters = sched_param()
            return error(of: sched_setscheduler(getpid(), SCHED_OTHER, &parameters))
        case "own-signal": return error(of: kill(getpid(), SIGURG))
        case "type-into-terminal": return typeIntoTerminal()
        case "own-file-signal": return error(of: fcntl(STDIN_FILENO, F_SETOWN, host))
        case "lease": return error(of: fcntl(STDIN_FILENO, 1024, F_RDLCK))
        case "call": return call(argument)
        case "threads": return runThreads(Int(argument) ?? 1)
        case "dispatch": return useDispatch()
        case "dispatch-watched": return keepDispatchBusy()
        case "foundation": return useFoundation()
        case "keep": return keepFiles(in: argument)
        case "at":
            let names = argument.split(separator: ",").map(String.init)
            return openAt(names[0], names[1])
        case "load": return dlopen(argument, RTLD_NOW | RTLD_LOCAL) != nil ? 0 : ENOENT
        case "record": return record(from: argument)
        case "allocate": return allocate(Int(argument) ?? 0)
        case "core-limit": return limit(Int32(RLIMIT_CORE.rawValue))
        case "file-limit": return limit(Int32(RLIMIT_NOFILE.rawValue))
        case "die-while-opening": return dieWhileOpening(argument)
        case "probe-many":
            // Each would be a refusal of its own.
            for number in 0..<(Int(argument) ?? 0) {
                _ = open("/etc/greenroom-\(number)", flags: O_WRONLY | O_CREAT)
            }
            return 0
        case "sleep": return error(of: Int32(usleep((UInt32(argument) ?? 0) * 1000)))
        default: return -1
        }
    }

    private static func error(of result: Int32) -> Int32 { result == 0 ? 0 : errno }

    private static func open(_ path: String, flags: Int32, mode: mode_t = 0o644) -> Int32 {
        let descriptor = Glibc.open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }

    /// Opens a path relative to the current folder.
    private static func openRelative(_ path: String) -> Int32 {
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
        guard chdir(folder) == 0 else { return errno }
        return open("./" + path.dropFirst(folder.count + 1), flags: O_RDONLY)
    }

    /// Writes some bytes to a file and reads them again.
    private static func fill(_ path: String) -> Int32 {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 7, count: 4096)
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
            ftruncate(descriptor, 2048) == 0
        else { return errno }
        return pread(descriptor, &bytes, bytes.count, 0) == 2048 ? 0 : EIO
    }

    /// Opens a path relative to a folder that is open.
    private static func openAt(_ folder: String, _ path: String) -> Int32 {
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return path.withCString { call("openat,\(descriptor),\(Int(bitPattern: $0)),0") }
    }

    private static func list(_ path: String) -> Int32 {
        guard let folder = opendir(path) else { return errno }
        defer { closedir(folder) }
        return readdir(folder) == nil ? EIO : 0
    }
}

// MARK: Sockets and processes

extension Action {
    private static let families = [
        "unix": AF_UNIX, "inet": AF_INET, "inet6": AF_INET6, "netlink": AF_NETLINK,
        "packet": AF_PACKET, "log": AF_UNIX,
    ]
    private static let types = ["netlink": SOCK_RAW, "log": SOCK_DGRAM]

    private static func makeSocket(_ family: String) -> Int32 {
        let type = types[family] ?? SOCK_STREAM
        let descriptor = Glibc.socket(families[family] ?? -1, Int32(type.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }

    private static func makeSocketPair(_ type: String) -> Int32 {
        var ends: [Int32] = [-1, -1]
        let type = Int32((type == "datagram" ? SOCK_DGRAM : SOCK_STREAM).rawValue)
        guard socketpair(AF_UNIX, type | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return errno
        }
        var byte: UInt8 = 1
        defer { ends.forEach { _ = close($0) } }
        return send(ends[0], &byte, 1, 0) == 1 && recv(ends[1], &byte, 1, 0) == 1 ? 0 : EIO
    }

    private static func connectTo(port: String) -> Int32 {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = (UInt16(port) ?? 0).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                error(of: connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)))
            }
        }
    }

    /// Binds a socket: to a file, or to any free port.
    private static func bind(_ family: String, _ path: String) -> Int32 {
        var ends: [Int32] = [-1, -1]
        if family == "unix" {
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
                return errno
            }
        } else {
            let type = types[family] ?? SOCK_STREAM
            ends[0] = Glibc.socket(families[family] ?? -1, Int32(type.rawValue), 0)
            guard ends[0] >= 0 else { return errno }
        }
        let sizes = ["inet": MemoryLayout<sockaddr_in>.size, "netlink": 12]
        var address = sockaddr_un()
        address.sun_family = sa_family_t(families[family] ?? -1)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = sizes[family] ?? MemoryLayout<sockaddr_un>.size
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                error(of: Glibc.bind(ends[0], $0, socklen_t(size)))
            }
        }
    }

    /// `fork` itself, which Swift hides.
    private static func fork() -> Int32 {
        typealias Fork = @convention(c) () -> Int32
        guard let symbol = dlsym(nil, "fork") else { return -1 }
        let child = unsafeBitCast(symbol, to: Fork.self)()
        guard child >= 0 else { return errno }
        if child == 0 { _exit(0) }
        waitpid(child, nil, 0)
        return 0
    }

    private static func spawn(_ program: String) -> Int32 {
        var process: Int32 = 0
        var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
        let result = posix_spawn(&process, program, nil, nil, &words, environ)
        if result == 0 { waitpid(process, nil, 0) }
        return result
    }

    /// A system call by its name or number, with numbers as arguments: `NAME,NUMBER,...`.
    private static func call(_ text: String) -> Int32 {
        typealias SystemCall = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int
        guard let symbol = dlsym(nil, "syscall") else { return -1 }
        let words = text.split(separator: ",").map(String.init)
        let number = Int32(words[0]) ?? seccomp_syscall_resolve_name(words[0])
        guard number >= 0 else { return -1 }
        let a = words.dropFirst().map { Int($0) ?? 0 } + [Int](repeating: 0, count: 6)
        let result = unsafeBitCast(symbol, to: SystemCall.self)(
            Int(number), a[0], a[1], a[2], a[3], a[4], a[5])
        return result >= 0 ? 0 : errno
    }

    private static func typeIntoTerminal() -> Int32 {
        var character: CChar = 10
        return error(of: ioctl(STDIN_FILENO, UInt(TIOCSTI), &character))
    }

    /// Reads where a page is in the machine's memory.
    ///
    /// - Returns: 0 if the kernel does not tell.
    private static func readFrameNumber() -> Int32 {
        let page = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let page, page != MAP_FAILED else { return errno }
        page.storeBytes(of: 1, as: UInt8.self)
        let file = Glibc.open("/proc/self/pagemap", O_RDONLY)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var entry: UInt64 = 0
        let place = off_t(UInt(bitPattern: page) / 4096 * 8)
        guard pread(file, &entry, 8, place) == 8 else { return 0 }
        return entry & (1 << 55 - 1) == 0 ? 0 : EEXIST
    }

    private static func readKernelStack() -> Int32 {
        let file = Glibc.open("/proc/self/stack", O_RDONLY)
        guard file >= 0 else { return errno }
        defer { close(file) }
        var byte: UInt8 = 0
        return read(file, &byte, 1) >= 0 ? 0 : errno
    }

    private static func makeTimers(_ count: Int) -> Int32 {
        for _ in 0..<count {
            var timer: timer_t?
            guard timer_create(CLOCK_MONOTONIC, nil, &timer) == 0 else { return errno }
        }
        return 0
    }

    private static func limit(_ resource: Int32) -> Int32 {
        var value = rlimit()
        guard getrlimit(resource, &value) == 0, value.rlim_cur == value.rlim_max else {
            return -1
        }
        return Int32(clamping: value.rlim_cur)
    }
}

// MARK: What media plugins do

extension Action {
    private static func runThreads(_ count: Int) -> Int32 {
        var threads: [pthread_t] = []
        for _ in 0..<count {
            var thread = pthread_t()
            let result = pthread_create(&thread, nil, { _ in nil }, nil)
            guard result == 0 else { return result }
            threads.append(thread)
        }
        for thread in threads { pthread_join(thread, nil) }
        return 0
    }

    private static func useDispatch() -> Int32 {
        let done = DispatchSemaphore(value: 0)
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + .milliseconds(5))
        timer.setEventHandler { done.signal() }
        timer.resume()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in usleep(1000) }
        DispatchQueue.global(qos: .userInteractive).async { done.signal() }
        let times = [done.wait(timeout: .now() + 5), done.wait(timeout: .now() + 5)]
        return times.allSatisfy { $0 == .success } ? 0 : ETIMEDOUT
    }

    /// Gives Dispatch more blocking work than it has threads, for long enough that it looks how
    /// its threads do, which is each second.
    private static func keepDispatchBusy() -> Int32 {
        let group = DispatchGroup()
        for _ in 0..<8 {
            DispatchQueue.global().async(group: group) { usleep(1_500_000) }
        }
        return group.wait(timeout: .now() + 30) == .success ? 0 : ETIMEDOUT
    }

    private static func useFoundation() -> Int32 {
        let formatter = DateFormatter()
        formatter.dateStyle = .full
        formatter.timeZone = TimeZone(identifier: "Europe/Berlin")
        formatter.locale = Locale(identifier: "de_DE")
        let text = formatter.string(from: Date(timeIntervalSince1970: 0))
        let thread = Thread {}
        thread.start()
        let json = try? JSONSerialization.data(withJSONObject: ["a": [1, 2, 3]])
        let count = ProcessInfo.processInfo.activeProcessorCount
        return text == "Donnerstag, 1. Januar 1970" && json != nil && count > 0 ? 0 : EIO
    }

    /// Saves, copies, lists and removes files as Foundation's users do.
    private static func keepFiles(in folder: String) -> Int32 {
        let place = URL(fileURLWithPath: folder).appendingPathComponent("kept")
        let manager = FileManager.default
        do {
            try manager.createDirectory(at: place, withIntermediateDirectories: true)
            let file = place.appendingPathComponent("file")
            let copy = place.appendingPathComponent("copy")
            try Data("text".utf8).write(to: file, options: .atomic)
            try Data("text".utf8).write(to: file)
            try manager.copyItem(at: file, to: copy)
            try manager.moveItem(at: copy, to: place.appendingPathComponent("moved"))
            guard try manager.contentsOfDirectory(atPath: place.path).count == 2,
                try String(contentsOf: file, encoding: .utf8) == "text"
            else { return EIO }
            try manager.removeItem(at: place)
            return 0
        } catch {
            let error = error as NSError
            let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
            return Int32(clamping: (cause ?? error).code)
        }
    }

    /// Captures some sound from an ALSA device.
    private static func record(from device: String) -> Int32 {
        do throws(ALSAError) {
            var pcm = try PCM(
                opening: device, direction: .capture,
                format: AudioFormat(sampleRate: 48_000, channels: 1), periodFrames: 480,
                bufferFrames: 4800)
            try pcm.start()
            var samples = [Int16](repeating: 0, count: 480)
            var span = samples.mutableSpan
            return try pcm.read(into: &span) > 0 ? 0 : EIO
        } catch {
            return error.underlyingError.rawValue
        }
    }

    /// Is killed while threads wait for an answer of the host.
    private static func dieWhileOpening(_ path: String) -> Int32 {
        for _ in 0..<4 {
            Thread.detachNewThread { while true { _ = open(path, flags: O_RDONLY) } }
        }
        usleep(UInt32.random(in: 0..<20_000))
        return error(of: kill(getpid(), SIGKILL))
    }

    /// Maps memory, and uses some of it.
    private static func allocate(_ count: Int) -> Int32 {
        let memory = mmap(
            nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let memory, memory != MAP_FAILED else { return errno }
        memset(memory, 1, min(count, 1 << 20))
        munmap(memory, count)
        return 0
    }
}
