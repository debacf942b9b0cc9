import GreenroomModel
import Glibc
import GreenroomConfig
import GreenroomSchema
import GreenroomHost
import GreenroomSession
import GreenroomSystem
import SystemPackage
import GreenroomOperate
import GreenroomRuntime

/// Control lines on standard input. The session executes each line as soon as it is read.
struct ControlInput: Sendable {
    var session: Session
    var printer: EventPrinter
    /// Advances the time; nil for a clock that goes by itself.
    var hand: SessionHand?

    /// Reads lines on a separate thread until the input ends. The session then continues without
    /// input.
    func read() {
        DetachedThread {
            defer { hand?.release() }
            var lines = ControlLines()
            var chunk = [UInt8](repeating: 0, count: 4096)
            while true {
                do throws(Errno) {
                    let count = try FileDescriptor.standardInput.read(into: &chunk)
                    guard count > 0 else {
                        if let last = lines.finish() { perform(last) }
                        return
                    }
                    lines.append(chunk[..<count]).forEach(perform)
                } catch  where error == .wouldBlock {
                    var wanted = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                    poll(&wanted, 1, -1)
                } catch {
                    complain(
                        "cannot read standard input: \(error). "
                            + "The session continues without control lines.", "control")
                    return
                }
            }
        }
    }

    private func perform(_ line: ControlLines.Numbered) {
        let origin = "control line \(line.number)"
        do throws(CommandError) {
            switch try line.result.get() {
            case .command(let command):
                try session.perform(command, origin: origin)
            case .advance(let time):
                guard let hand else { throw CommandError(ControlLine.advanceRefusal) }
                let goal = session.clock.now + time.nanoseconds
                let stands = hand.advance(to: goal)
                var record = EventRecord(event: .commanded)
                record.origin = origin
                record.text = stands ? "time passed" : "the session ends"
                printer.show(record, line: nil)
            case .stop:
                session.stop(isPlanned: true)
            case .help:
                var record = EventRecord(event: .help)
                let commands = ControlLine.commands
                record.commands = commands.map(\.line)
                let lines = table(commands.map { ["  \($0.line)", $0.meaning] })
                printer.show(record, line: lines.joined(separator: "\n"))
            case .nothing: break
            }
        } catch {
            complain(error.description, origin)
        }
    }

    private func complain(_ message: String, _ origin: String) {
        var record = EventRecord(event: .controlError)
        record.origin = origin
        record.text = message
        printer.show(record, line: "\(origin): \(message)")
    }
}
