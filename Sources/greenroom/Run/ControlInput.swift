import Glibc
import GreenroomConfig
import GreenroomHost
import GreenroomModel
import GreenroomSession

/// Control lines on standard input, each carried out as soon as it is read.
struct ControlInput: Sendable {
    var session: Session
    var plan: SessionPlan
    /// The absolute folder that relative paths of settings start from.
    var folder: String
    var printer: EventPrinter

    /// Reads on a thread of its own, until the input ends; the session goes on without it.
    func read() {
        Thread {
            var lines = ControlLines()
            var chunk = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
                switch count {
                case 1...:
                    lines.append(chunk[..<count]).forEach(perform)
                case 0:
                    if let last = lines.finish() { perform(last) }
                    return
                default:
                    switch errno {
                    case EINTR: continue
                    case EAGAIN:
                        var wanted = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                        poll(&wanted, 1, -1)
                    case let code:
                        complain(
                            "standard input can't be read: \(String(cString: strerror(code))). "
                                + "The session goes on without control lines.", "control")
                        return
                    }
                }
            }
        }
    }

    private func perform(_ line: ControlLines.Numbered) {
        let origin = "control line \(line.number)"
        do throws(CommandProblem) {
            switch try line.result.get() {
            case .command(let command):
                perform(try plan.command(for: command, folder: folder), origin)
            case .explain: perform(.explain, origin)
            case .stop:
                session.stop(isPlanned: true)
            case .help:
                var record = EventRecord(event: "help")
                let commands = ControlLine.commands
                record.commands = commands.map(\.line)
                printer.show(record, line: table(commands.map { ["  \($0.line)", $0.meaning] }))
            case .nothing: break
            }
        } catch {
            complain(error.message, origin)
        }
    }

    private func perform(_ command: SessionCommand, _ origin: String) {
        guard !session.perform(command, origin: origin) else { return }
        complain("left out: too many commands wait to be carried out", origin)
    }

    private func complain(_ message: String, _ origin: String) {
        var record = EventRecord(event: "control-error")
        record.origin = origin
        record.text = message
        printer.show(record, line: "\(origin): \(message)")
    }
}
