import ArgumentParser
import CLinux
import Glibc
import GreenroomValidator

/// `greenroom judge`: the process of one check. `greenroom validate` starts it.
struct CheckWorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge", abstract: "Run one check, as greenroom validate requests it.",
        shouldDisplay: false)

    @Argument(help: .hidden)
    var performance: String?

    func run() throws {
        // Whoever asked before that and is gone now is not who the order names.
        _ = greenroom_set_parent_death_signal(SIGKILL)
        if let performance {
            guard CheckWorker.perform(performance) else {
                throw Failure(.usage, "judge is started by greenroom validate, with an order.")
            }
            _exit(0)
        }
        var order: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            guard count > 0 else { break }
            order += buffer[..<count]
        }
        guard let answer = CheckWorker.judge(order) else {
            throw Failure(.usage, "judge is started by greenroom validate, with an order.")
        }
        _ = write(STDOUT_FILENO, answer, answer.count)
        // Threads of the check may be left.
        _exit(0)
    }
}
