import Glibc
import SessionTestSupport
import TestSupport

/// An X server without a screen, and the windows on it.
final class XServer {
    private let folder: TemporaryFolder
    private let size: String
    private let options: [String]
    private var server: ChildProcess?
    /// `:1`, say.
    private(set) var display = ""

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - keys: A file with the key that clients need; nil if none.
    ///   - isRestarted: Whether ``restart()`` is called. Another server may take the lowest number while this one is
    ///     down, and its test would see the windows of both. So this one has a number that no server takes by itself.
    init(_ size: String = "1280x720", keys: String? = nil, isRestarted: Bool = false) throws {
        folder = try TemporaryFolder()
        self.size = size
        options = keys.map { ["-auth", $0] } ?? ["-ac"]
        if isRestarted { display = ":\(10_000 + getpid() % 40_000)" }
        try start()
    }

    private func start() throws {
        let server = try ChildProcess(
            "Xvfb",
            (display.isEmpty ? [] : [display]) + options + [
                "-displayfd", "1", "-screen", "0", "\(size)x24", "-noreset", "-nolisten", "tcp",
            ])
        guard server.waitForOutput(containing: "\n") else {
            throw Failure("Xvfb does not start: \(server.wait(atMost: .zero))")
        }
        self.server = server
        display = ":\(server.outputSoFar.split(separator: "\n").first ?? "")"
    }

    /// Kills the server.
    func kill() {
        _ = server?.wait(atMost: .zero)
        server = nil
    }

    /// Starts it again, as the same display.
    func restart() throws { try start() }

    /// Where its clients find it.
    var environment: [String: String?] {
        ["DISPLAY": display, "WAYLAND_DISPLAY": nil, "XDG_SESSION_TYPE": nil]
    }

    /// Runs a program that uses it.
    func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(program, arguments, environment: environment)
    }

    /// Changes its monitors.
    func xrandr(_ arguments: String...) throws {
        let run = try start("xrandr", arguments).wait()
        guard run.exit == .code(0) else { throw Failure("xrandr: \(run)") }
    }

    /// Opens a window.
    func window(
        _ title: String, class className: String = "Demo", at place: (x: Int, y: Int) = (100, 80),
        size: (width: Int, height: Int) = (400, 300)
    ) throws -> TestWindow {
        let pipe = folder("\(title).pipe")
        guard mkfifo(pipe, 0o600) == 0 else { throw Failure("mkfifo \(pipe)") }
        let program = try start(
            try Self.program.get(),
            [pipe, title, className] + [place.x, place.y, size.width, size.height].map { "\($0)" })
        guard program.waitForOutput(containing: "\n") else {
            throw Failure("the window does not open: \(program.wait(atMost: .zero))")
        }
        return TestWindow(program, pipe)
    }

    /// The client of `Tests/Screens/window.c`, compiled once.
    private static let program = Result {
        let program = "\(Checkout.products)/test-window"
        let run = try ChildProcess.run(
            "cc",
            [
                "-Wall", "-Wextra", "-Werror", "-o", program,
                "\(Checkout.root)/Tests/Screens/window.c", "-lxcb",
            ])
        guard run.exit == .code(0) else { throw Failure("\(run)") }
        return program
    }
}

/// A window of a program of its own, which draws a number in 16 black and white columns.
final class TestWindow {
    private let program: ChildProcess
    private let pipe: String
    private var lines = 0

    fileprivate init(_ program: ChildProcess, _ pipe: String) {
        self.program = program
        self.pipe = pipe
    }

    /// `0x200000`, say.
    var id: String { program.outputSoFar.split(separator: "\n").first.map(String.init) ?? "" }

    /// Obeys a line, and returns when the server has done it.
    func obey(_ line: String) throws {
        let file = open(pipe, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure("open \(pipe)") }
        defer { close(file) }
        let bytes = Array("\(line)\n".utf8)
        guard write(file, bytes, bytes.count) == bytes.count else { throw Failure("write \(pipe)") }
        lines += 1
        guard
            program.waitForOutput(containing: "\n", times: lines + 1)
        else { throw Failure("the window does not obey: \(program.wait(atMost: .zero))") }
    }

    /// The luma of the ground below the columns, in limited range: 75 by BT.601, 73 by BT.709.
    static let ground = 74

    /// The number that a window draws, as a frame shows it.
    ///
    /// - Parameters:
    ///   - place: The window's place in the frame, without its border.
    ///   - scale: The size of the window's pixels in the frame.
    /// - Returns: nil without a window.
    static func number(
        in frame: StreamFrame, at place: (x: Int, y: Int) = (0, 0), scale: Double = 1
    ) -> Int? {
        func luma(_ x: Int, _ y: Int) -> Int {
            frame.luma(place.x + Int(Double(x) * scale), place.y + Int(Double(y) * scale))
        }
        guard abs(luma(128, 60) - ground) < 12 else { return nil }
        var number = 0
        for bit in 0..<16 {
            switch luma(bit * 16 + 8, 16) {
            case ..<24: break
            case 220...: number |= 1 << bit
            default: return nil
            }
        }
        return number
    }
}

/// An I420 frame of a stream.
struct StreamFrame {
    var width: Int
    var height: Int
    var bytes: [UInt8]

    /// 0 outside of it.
    func luma(_ x: Int, _ y: Int) -> Int {
        (0..<width).contains(x) && (0..<height).contains(y) ? Int(bytes[y * width + x]) : 0
    }

    /// Whether it is a slate: the dark ground of one in each corner.
    var isSlate: Bool {
        [(2, 2), (width - 3, 2), (2, height - 3), (width - 3, height - 3)].allSatisfy {
            (32...38).contains(luma($0.0, $0.1))
        }
    }
}

/// A preview whose frames the test reads from a pipe while it runs.
final class FrameStream {
    private let folder: TemporaryFolder
    private let stream: UnsafeMutablePointer<FILE>
    let program: ChildProcess
    let width: Int
    let height: Int

    /// Starts `greenroom preview`.
    init(_ arguments: [String], environment: [String: String?]) throws {
        folder = try TemporaryFolder()
        let pipe = folder("frames")
        guard mkfifo(pipe, 0o600) == 0 else { throw Failure("mkfifo \(pipe)") }
        program = try Greenroom.start(
            ["preview"] + arguments + ["--y4m", pipe, "--duration", "120s"],
            environment: environment)
        // Without waiting for a preview that has ended already.
        let file = open(pipe, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var ready = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        while poll(&ready, 1, 100) == 0 {
            guard !program.hasEnded else { break }
        }
        guard fcntl(file, F_SETFL, 0) == 0, let stream = fdopen(file, "rb") else {
            throw Failure("open \(pipe)")
        }
        self.stream = stream
        var size = (width: 0, height: 0)
        for word in Self.line(of: stream).split(separator: " ") {
            if word.hasPrefix("W") { size.width = Int(word.dropFirst()) ?? 0 }
            if word.hasPrefix("H") { size.height = Int(word.dropFirst()) ?? 0 }
        }
        (width, height) = size
        guard width > 0, height > 0 else {
            throw Failure("no frames: \(program.wait())")
        }
    }

    deinit { fclose(stream) }

    private static func line(of stream: UnsafeMutablePointer<FILE>) -> String {
        var bytes: [UInt8] = []
        while case let byte = getc(stream), byte != EOF, byte != 10, bytes.count < 200 {
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads frames until one is as wanted.
    ///
    /// - Throws: After 1,500 others, which are 50 s.
    @discardableResult
    func next(_ what: String, where isWanted: (StreamFrame) -> Bool) throws -> StreamFrame {
        var last = StreamFrame(width: width, height: height, bytes: [])
        for _ in 0..<1500 {
            guard Self.line(of: stream).hasPrefix("FRAME") else { break }
            var bytes = [UInt8](repeating: 0, count: width * height * 3 / 2)
            guard fread(&bytes, 1, bytes.count, stream) == bytes.count else { break }
            last.bytes = bytes
            if isWanted(last) { return last }
        }
        throw Failure("no frame with \(what): \(program.outputSoFar) \(program.errorsSoFar)")
    }

    /// Ends the preview.
    func end() -> Finished {
        program.signal(SIGINT)
        // It may wait for this reader.
        _ = fcntl(fileno(stream), F_SETFL, O_NONBLOCK)
        var rest = [UInt8](repeating: 0, count: 1 << 16)
        while !program.hasEnded {
            if fread(&rest, 1, rest.count, stream) == 0 {
                clearerr(stream)
                usleep(2_000)
            }
        }
        return program.wait()
    }
}
