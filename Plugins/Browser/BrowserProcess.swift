import CLinux
import Glibc
import BrowserDecisions
import GreenroomPlugin
import GreenroomSchema
import PluginProcess
import GreenroomSystem
import Synchronization
import SystemPackage

/// The reason why a page can't continue: the plugin must restart its browser.
struct BrowserError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// A Chromium that runs, and the messages between it and one thread.
struct BrowserProcess: ~Copyable {
    /// Takes an event of the page, with its parameters.
    typealias EventHandler = (String, JSONText, Span<UInt8>) -> Void

    private let process: CommandProcess
    private let stop: StopSignal
    /// Chromium's profile and temporary files, which are removed after Chromium has ended.
    private let scratch: ScratchFolder
    private let lastLine: LastLine
    /// The files of the page that Landlock lets Chromium read; nil if Landlock does not confine Chromium.
    private let confinedFiles: [String]?
    private var stream = DevToolsStream()
    private var lastCall = 0
    /// The page's session of DevTools; empty before there is one.
    private var session = ""
    /// Decides on the page's requests.
    private var gate = PageGate(mainFrame: "")
    private var input: [UInt8]
    /// A call that a page answers as soon as its scripts wait: its number, and when it was made.
    private var ping: (call: Int, time: Int64, isAnswered: Bool) = (0, 0, true)

    /// The last line of Chromium's standard error.
    private final class LastLine: Sendable {
        let text = Mutex("")
    }

    /// Checks whether Chromium is installed.
    ///
    /// - Throws: ``PluginError`` with the fix.
    static func find() throws(PluginError) {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin"
        let isThere = path.split(separator: ":").contains {
            access("\($0)/\(BrowserLaunch.program)", X_OK) == 0
        }
        guard isThere else {
            throw PluginError(
                "\(BrowserLaunch.program) is not installed; install it with: apt install "
                    + BrowserLaunch.program, status: .unavailable)
        }
    }

    /// Checks whether this process may start programs, by starting one.
    ///
    /// - Throws: ``PluginError`` with the fix.
    static func probe() throws {
        let probe = try CommandProcess(["true"], pipes: [.output], line: { _ in })
        _ = probe.end(within: CommandProcess.EndLimits(close: 1000, terminate: 0))
    }

    /// Starts Chromium.
    ///
    /// - Parameter log: Takes what to tell the user.
    init(_ settings: BrowserSettings, stop: StopSignal, log: (String) -> Void) throws {
        try Self.find()
        let sandbox = ChromiumSandbox(
            isRoot: geteuid() == 0, hasUserNamespaces: Self.hasUserNamespaces,
            hasHelper: Self.hasHelper, mayGainRights: Self.mayGainRights,
            hasLandlock: FileConfinement.isPossible)
        if case .none(let reason) = sandbox {
            log("no sandbox keeps the page from the files of this user: \(reason)")
        }
        let scratch: ScratchFolder
        do throws(Errno) {
            scratch = try ScratchFolder("browser")
        } catch {
            throw PluginError(
                "cannot make a folder for temporary files: \(error). Set TMPDIR to a folder that this user can "
                    + "write", status: .unavailable)
        }
        let folder = scratch.path
        let launch = BrowserLaunch(
            isNetworkGranted: settings.network, hasSpeaker: !settings.speaker.isEmpty,
            sandbox: sandbox, folder: folder)
        var variables = ["TMPDIR": folder, "HOME": folder]
        if !settings.speaker.isEmpty { variables["PULSE_SINK"] = settings.speaker }
        var confinement: FileConfinement?
        var files: [String]?
        if sandbox == .landlock {
            let address = try? settings.address()
            let readable = address.map { PageGate.files(of: $0, resolve: Self.resolved) } ?? []
            // Chromium can't list /dev/shm, so it finds no memory of other programs there.
            confinement = FileConfinement(
                readable: ChromiumSandbox.systemFiles + readable
                    + (settings.speaker.isEmpty ? [] : Self.audioFiles),
                writable: [folder, "/dev/null", "/dev/shm"], allowsNetwork: settings.network)
            files = readable
        }
        let lastLine = LastLine()
        process = try CommandProcess(
            launch.words, pipes: [.reads(3), .writes(4)], variables: variables, removing: folder,
            confinement: confinement
        ) { line in lastLine.text.withLock { $0 = line } }
        (self.stop, self.scratch, self.lastLine) = (stop, scratch, lastLine)
        confinedFiles = files
        input = [UInt8](repeating: 0, count: 1 << 18)
    }

    deinit {
        _ = process.end(within: CommandProcess.EndLimits(close: 0, terminate: 0))
    }

    // MARK: Surroundings

    /// The folder of PulseAudio's socket, which its library reads, and files that the library needs.
    private static var audioFiles: [String] {
        let folder = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) + "/pulse" }
        return ["/etc/machine-id", "/var/lib/dbus/machine-id"] + (folder.map { [$0] } ?? [])
    }

    /// The helper of Debian's package, which runs as root.
    private static var hasHelper: Bool {
        var status = stat()
        return stat("/usr/lib/chromium/chrome-sandbox", &status) == 0 && status.st_uid == 0
            && status.st_mode & S_ISUID != 0
    }

    /// Whether the system lets programs of this process run with the rights of their owner.
    private static var mayGainRights: Bool {
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return true }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(file, &bytes, bytes.count)
        return !String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).contains(
            "NoNewPrivs:\t1")
    }

    /// Whether a process may make a user namespace: settings, AppArmor and containers forbid it.
    private static var hasUserNamespaces: Bool {
        guard
            let probe = try? CommandProcess(
                ["unshare", "--user", "true"], pipes: [.output], line: { _ in })
        else { return false }
        return !probe.end(within: CommandProcess.EndLimits(close: 1000, terminate: 0)).hasFailed
    }

    // MARK: Messages

    /// Opens a page that draws a frame for each call of BeginFrame.
    mutating func openPage(_ events: EventHandler, idle: () throws -> Void) throws {
        let longWait = 20_000
        var target: String?
        try call(
            "Target.createTarget",
            "\"url\":\"about:blank\",\"newWindow\":true,\"enableBeginFrameControl\":true",
            within: longWait, events, idle: idle
        ) { target = $0.member("targetId", in: $1)?.text(in: $1) }
        guard let target else { throw BrowserError("Chromium did not open a page") }
        var session: String?
        try call(
            "Target.attachToTarget", "\"targetId\":\(target.quoted),\"flatten\":true",
            within: longWait, events, idle: idle
        ) { session = $0.member("sessionId", in: $1)?.text(in: $1) }
        guard let session else { throw BrowserError("Chromium did not open a page") }
        self.session = session
        // A page and its main frame have the same id.
        gate = PageGate(mainFrame: target)
        try call("Fetch.enable", PageGate.patterns, within: longWait, events, idle: idle) { _, _ in
        }
        for domain in ["Page", "Runtime", "Inspector"] {
            try call("\(domain).enable", "", within: longWait, events, idle: idle) {
                _, _ in
            }
        }
        // Files that a page offers are not written.
        try? call(
            "Browser.setDownloadBehavior", "\"behavior\":\"deny\"", within: longWait, events,
            idle: idle
        ) {
            _, _ in
        }
    }

    /// Begins a page: it can read the files of its folder.
    ///
    /// - Throws: ``BrowserError`` if only another Chromium can read them.
    mutating func begin(_ address: BrowserAddress) throws {
        let files = PageGate.files(of: address, resolve: Self.resolved)
        guard confinedFiles.map({ $0 == files || files.isEmpty }) ?? true else {
            throw BrowserError("the new page is in another folder")
        }
        gate.begin(address, resolve: Self.resolved)
    }

    /// The reason why the page's last navigation failed; nil if it did not.
    var failure: String? { gate.failure }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// A request that DevTools has paused.
    private struct PausedRequest {
        var id: String
        var url: String
        var frame: String?
        var status: Int?

        init?(_ content: JSONText, _ bytes: Span<UInt8>) {
            guard let id = content.member("requestId", in: bytes)?.text(in: bytes),
                let url = content.member("request", in: bytes)?.member("url", in: bytes)?.text(
                    in: bytes)
            else { return nil }
            (self.id, self.url) = (id, url)
            frame = content.member("frameId", in: bytes)?.text(in: bytes)
            status = content.member("responseStatusCode", in: bytes)?.integer
        }
    }

    /// Lets paused requests continue or fail.
    private mutating func decide(on paused: [PausedRequest], within limit: Int) throws {
        for request in paused {
            let isAllowed = gate.allows(
                request.url, frame: request.frame, status: request.status, resolve: Self.resolved)
            _ = try send(
                isAllowed ? "Fetch.continueRequest" : "Fetch.failRequest",
                "\"requestId\":\(request.id.quoted)"
                    + (isAllowed ? "" : ",\"errorReason\":\"AccessDenied\""), within: limit)
        }
    }

    /// Calls a function of DevTools and waits for its result.
    ///
    /// - Parameters:
    ///   - parameters: Members of a JSON object.
    ///   - limit: In milliseconds of real time.
    ///   - events: Takes events that come meanwhile.
    ///   - idle: Runs ten times a second while the result is missing.
    ///   - result: Takes the result.
    /// - Throws: ``BrowserError``, ``CancellationError``, or a ``PluginError`` if DevTools refuses the call.
    mutating func call(
        _ method: String, _ parameters: String, within limit: Int, _ events: EventHandler,
        idle: () throws -> Void = {}, result: (JSONText, Span<UInt8>) -> Void
    ) throws {
        let number = try send(method, parameters, within: limit)
        let end = realMilliseconds() + Int64(limit)
        var answer: DevToolsMessage?
        while true {
            var isGarbled = false
            var crashed = false
            var paused: [PausedRequest] = []
            var unreachable: [String?] = []
            var isPingAnswered = ping.isAnswered
            let ping = ping.call
            while answer == nil,
                stream.next({ bytes in
                    guard let message = DevToolsMessage(bytes) else {
                        isGarbled = true
                        return
                    }
                    if message.call == number {
                        answer = message
                        if message.failure == nil { result(message.content, bytes) }
                    } else if message.call == ping {
                        isPingAnswered = true
                    } else if let event = message.event {
                        switch event {
                        case "Inspector.targetCrashed": crashed = true
                        case "Fetch.requestPaused":
                            if let request = PausedRequest(message.content, bytes) {
                                paused.append(request)
                            }
                        case "Page.frameNavigated":
                            let frame = message.content.member("frame", in: bytes)
                            if frame?.member("unreachableUrl", in: bytes) != nil {
                                unreachable.append(
                                    frame?.member("id", in: bytes)?.text(in: bytes))
                            }
                        default: break
                        }
                        events(event, message.content, bytes)
                    }
                })
            {}
            self.ping.isAnswered = isPingAnswered
            guard !isGarbled else {
                throw BrowserError("Chromium sent a message that is not JSON")
            }
            guard !crashed else { throw BrowserError("the page crashed") }
            try decide(on: paused, within: limit)
            for frame in unreachable { gate.navigated(frame, isUnreachable: true) }
            if let answer {
                guard let failure = answer.failure else { return }
                throw PluginError("\(method): \(failure)")
            }
            let left = end - realMilliseconds()
            guard left > 0 else {
                throw BrowserError(
                    "the page does not respond for \(limit / 1000) s")
            }
            try read(within: Int(min(left, 100)))
            try idle()
        }
    }

    /// Asks the page for a sign of life once a second.
    ///
    /// - Parameter limit: The time limit of the answer, in milliseconds of real time.
    /// - Throws: ``BrowserError`` if it took longer.
    mutating func ping(within limit: Int) throws {
        let age = realMilliseconds() - ping.time
        guard ping.isAnswered else {
            guard age < limit else {
                throw BrowserError("the page does not respond for \(limit / 1000) s")
            }
            return
        }
        guard age >= 1000 else { return }
        let call = try send("Runtime.evaluate", "\"expression\":\"0\"", within: limit)
        ping = (call, realMilliseconds(), false)
    }

    /// Calls a function of DevTools.
    ///
    /// - Returns: The number that the result has.
    private mutating func send(
        _ method: String, _ parameters: String, within limit: Int
    ) throws -> Int {
        lastCall += 1
        let address = session.isEmpty ? "" : ",\"sessionId\":\(session.quoted)"
        try write(
            "{\"id\":\(lastCall),\"method\":\"\(method)\",\"params\":{\(parameters)}\(address)}\0",
            within: limit)
        return lastCall
    }

    private mutating func read(within milliseconds: Int) throws {
        guard try wait(process.pipes[1], POLLIN, milliseconds) else { return }
        let count = Glibc.read(process.pipes[1], &input, input.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { throw loss() }
        let isShort = input.withUnsafeBytes { stream.append(.init(rebasing: $0[..<count])) }
        guard isShort else {
            throw BrowserError("Chromium sent a message of more than 96 MiB")
        }
    }

    private func write(_ text: String, within limit: Int) throws {
        var rest = Array(text.utf8)[...]
        let end = realMilliseconds() + Int64(limit)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(process.pipes[0], $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            guard errno == EAGAIN || errno == EINTR else { throw loss() }
            guard try wait(process.pipes[0], POLLOUT, Int(end - realMilliseconds())) else {
                throw BrowserError("Chromium stopped reading commands")
            }
        }
    }

    /// Waits, in milliseconds; stop ends the wait.
    func rest(_ milliseconds: Int32) throws {
        var query = pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&query, 1, milliseconds) > 0 { throw CancellationError() }
    }

    /// Waits for a pipe.
    ///
    /// - Returns: Whether it is ready.
    private func wait(_ pipe: Int32, _ events: Int32, _ milliseconds: Int) throws -> Bool {
        var queries = [
            pollfd(fd: pipe, events: Int16(events), revents: 0),
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&queries, 2, Int32(clamping: max(milliseconds, 0))) > 0 else { return false }
        guard queries[1].revents == 0 else { throw CancellationError() }
        return queries[0].revents != 0
    }

    /// Chromium has closed the pipe.
    private func loss() -> BrowserError {
        let line = lastLine.text.withLock { $0 }
        return BrowserError(
            "Chromium ended" + (line.isEmpty ? "" : " (its last line: \(line))"))
    }
}

extension String {
    /// The text as JSON.
    var quoted: String {
        var result = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
