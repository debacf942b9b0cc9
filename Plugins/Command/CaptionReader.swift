import CommandDecisions
import Glibc
import GreenroomPlugin
import PluginProcess

/// Reads the captions that a command writes, on a separate thread.
final class CaptionReader: Sendable {
    /// The descriptor of the command.
    static let number: Int32 = 3
    /// The longest line, in bytes. The rest of a longer one is ignored.
    private static let longest = 4096

    private let stop: StopSignal
    private let thread: PluginThread

    /// - Parameters:
    ///   - descriptor: It is duplicated.
    ///   - start: The beginning of the command's input, on the session clock.
    init(_ descriptor: Int32, from start: Int64, host: PluginHost) throws {
        let stop = try StopSignal()
        self.stop = stop
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        do {
            thread = try PluginThread(name: "captions") {
                Self.read(copy, until: stop, from: start, host)
                close(copy)
            }
        } catch {
            close(copy)
            throw error
        }
    }

    /// Reads what is left, and ends.
    func end() {
        stop.set()
        thread.join()
    }

    private static func read(
        _ descriptor: Int32, until stop: StopSignal, from start: Int64, _ host: PluginHost
    ) {
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: longest)
        var hasComplained = false
        while true {
            var queries = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            poll(&queries, 2, -1)
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else {
                if count < 0, errno == EAGAIN || errno == EINTR, queries[1].revents == 0 {
                    continue
                }
                return
            }
            for byte in buffer[..<count] {
                guard byte == UInt8(ascii: "\n") else {
                    if line.count < longest { line.append(byte) }
                    continue
                }
                let problem = pass(String(decoding: line, as: UTF8.self), from: start, to: host)
                if let problem, !hasComplained { host.log(.warning, "captions: \(problem)") }
                hasComplained = hasComplained || problem != nil
                line.removeAll()
            }
        }
    }

    /// Passes a line to the session.
    ///
    /// - Returns: The reason that it is ignored; nil if it is not.
    private static func pass(_ line: String, from start: Int64, to host: PluginHost) -> String? {
        guard let caption = CaptionLine(line) else {
            return
                "\"\(line.prefix(100))\" is ignored: a caption is START, END, SPEAKER and TEXT, separated "
                + "by tabs, with times in seconds and at most 60 s"
        }
        func time(_ seconds: Double) -> Int64 { start + Int64(seconds * 1000) * 1_000_000 }
        do throws(SendRefusal) {
            try host.addCaption(
                caption.text, speaker: caption.speaker, from: time(caption.start),
                to: time(caption.end))
            return nil
        } catch {
            return error.text
        }
    }
}
