import Glibc
import GreenroomFiles
import GreenroomPlugin
import PluginProcess
import GreenroomSystem
import Synchronization
import SystemPackage

/// The place of the stream that a source plays.
enum StreamPlace: Sendable {
    /// The standard output of a command.
    case command(CommandWords)
    /// A named pipe, a file, or `/dev/stdin`.
    case path(String)

    /// - Throws: ``PluginError`` unless one of both is given.
    init(command: String, path: String) throws {
        guard command.isEmpty != path.isEmpty else {
            throw PluginError(
                command.isEmpty
                    ? "neither a command nor a path: write command: [PROGRAM, ARGUMENT], or path: PIPE"
                    : "'command' and 'path' are both set; remove one", status: .badSetting)
        }
        self = command.isEmpty ? .path(path) : .command(try CommandWords(command))
    }

    /// The name of the stream in messages.
    var name: String {
        switch self {
        case .command(let command): command.name
        case .path(let path): path
        }
    }
}

/// Whether the plugin has stopped the stream before its end.
private final class Ending: Sendable {
    let flag = Atomic(false)
}

/// An open stream: a command that runs, a named pipe or a file.
final class SourceStream: Sendable {
    let name: String
    private let descriptor: Int32
    /// Nil for a path.
    private let process: CommandProcess?
    private let isEnding = Ending()

    /// Opens a stream, or starts its command.
    ///
    /// - Throws: ``PluginError`` with the fix.
    init(_ place: StreamPlace, host: PluginHost) throws {
        name = place.name
        switch place {
        case .command(let command):
            let process = try CommandProcess(command.words, pipes: [.output]) { [isEnding] line in
                // Do not log the complaints of a command whose pipe the plugin has closed.
                guard !isEnding.flag.load(ordering: .relaxed) else { return }
                host.log(.info, "\(command.name): \(line)")
            }
            self.process = process
            descriptor = process.pipe
        case .path(let path):
            process = nil
            // A named pipe without a writer is open at once.
            descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw PluginError(
                    "\(path): cannot open it: \(Errno(rawValue: errno)). Make it before the session "
                        + "starts: mkfifo \(path)", status: .unavailable)
            }
        }
    }

    /// Ends the command, or closes the file. Call it once.
    ///
    /// - Parameter isOver: Whether the stream has ended by itself.
    /// - Returns: The way in which the stream ended, for messages.
    @discardableResult
    func end(isOver: Bool) -> String {
        guard let process else {
            close(descriptor)
            return "\(name): ended"
        }
        if !isOver { isEnding.flag.store(true, ordering: .relaxed) }
        // Together below the 2 s that the host gives a callback, which may wait for it.
        let ending = process.end(
            within: CommandProcess.EndLimits(close: isOver ? 500 : 0, terminate: 1000))
        return "\(name): \(ending.text)"
    }

    /// Waits until there is something to read, the stream's end included.
    ///
    /// - Parameters:
    ///   - milliseconds: The longest time, in real time; negative for no limit.
    ///   - stop: Ends the wait.
    /// - Returns: Whether there is.
    func wait(_ milliseconds: Int, until stop: StopSignal? = nil) throws(CancellationError) -> Bool
    {
        var queries = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        if let stop {
            queries.append(pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0))
        }
        guard poll(&queries, nfds_t(queries.count), Int32(clamping: milliseconds)) > 0 else {
            return false
        }
        guard stop == nil || queries[1].revents == 0 else { throw CancellationError() }
        return queries[0].revents != 0
    }

    /// Reads once.
    ///
    /// - Returns: 0 at the end of the stream; nil if there is nothing yet.
    func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int? {
        let count = Glibc.read(descriptor, memory.baseAddress, memory.count)
        guard count < 0 else { return count }
        guard errno == EAGAIN || errno == EINTR else {
            throw PluginError("\(name): cannot read it: \(Errno(rawValue: errno))")
        }
        return nil
    }
}

/// The bytes of an open stream, for a thread that has something to do while it waits for them.
struct StreamBytes: ByteSource {
    let stream: SourceStream
    let stop: StopSignal?
    /// Runs before a wait.
    ///
    /// - Returns: The wait before the next run, in milliseconds of real time; negative: no limit.
    let idle: () throws -> Int

    mutating func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int {
        var done = 0
        while done < memory.count {
            guard try stream.wait(0, until: stop) || stream.wait(try idle(), until: stop) else {
                continue
            }
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[done...])
            guard let count = try stream.read(into: rest) else { continue }
            if count == 0 { break }
            done += count
        }
        return done
    }
}

/// Plays streams, on the thread of a ``SourceLoop``.
protocol StreamPlayer: SendableMetatype {
    /// Plays a stream to its end.
    ///
    /// - Parameters:
    ///   - isFirst: Whether it was open before the thread ran.
    /// - Throws: ``CancellationError`` or a ``SendRefusal`` if sending stops; else why the stream can't be played.
    mutating func play(_ stream: SourceStream, _ stop: StopSignal, isFirst: Bool) throws

    /// Waits until a time on the session clock.
    ///
    /// - Returns: false if sending stops before.
    mutating func pause(until time: Int64) -> Bool
}

/// Plays a stream on a separate thread until sending stops. When the stream ends, the loop opens it again or
/// restarts its command.
final class SourceLoop: Sendable {
    private let stop: StopSignal
    private let thread: PluginThread

    /// - Parameters:
    ///   - opened: The stream if it is open; the loop ends it, even if it throws.
    init(
        _ place: StreamPlace, opened: SourceStream?, host: PluginHost,
        player: sending some StreamPlayer
    ) throws {
        do {
            let stop = try StopSignal()
            self.stop = stop
            thread = try Self.thread(place, opened, host, player, stop)
        } catch {
            opened?.end(isOver: false)
            throw error
        }
    }

    private static func thread(
        _ place: StreamPlace, _ opened: SourceStream?, _ host: PluginHost,
        _ player: sending some StreamPlayer, _ stop: StopSignal
    ) throws -> PluginThread {
        try PluginThread(name: "command source") {
            var player = player
            var delay = RestartDelay()
            var next = opened
            // A virtual clock waits for a thread from its first use of the clock on.
            guard host.wait(untilNanoseconds: host.nowNanoseconds) == .ok else {
                next?.end(isOver: false)
                return
            }
            while true {
                let start = host.nowNanoseconds
                var reason: String
                do {
                    let isFirst = next != nil
                    let stream = try next ?? SourceStream(place, host: host)
                    next = nil
                    do {
                        try player.play(stream, stop, isFirst: isFirst)
                        reason = stream.end(isOver: true)
                    } catch {
                        stream.end(isOver: false)
                        throw error
                    }
                } catch is CancellationError {
                    return
                } catch let refusal as SendRefusal {
                    if !refusal.isEnd { host.giveUp(refusal.text, status: refusal.status) }
                    return
                } catch {
                    reason = "\(error)"
                }
                let length = delay.next(afterRun: host.nowNanoseconds - start)
                host.log(.warning, "\(reason); restarting in \(RestartDelay.text(length))")
                guard player.pause(until: host.nowNanoseconds + length) else { return }
            }
        }
    }

    /// Ends the thread and the command. Nothing is sent after the return.
    func end() {
        stop.set()
        thread.join()
    }
}
