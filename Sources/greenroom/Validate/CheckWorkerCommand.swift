import ArgumentParser
import CLinux
import Glibc
import GreenroomSystem
import GreenroomValidator
import SystemPackage

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
        let order = try? FileDescriptor.standardInput.readToEnd()
        guard let answer = CheckWorker.judge(order ?? []) else {
            throw Failure(.usage, "judge is started by greenroom validate, with an order.")
        }
        _ = try? FileDescriptor.standardOutput.writeAll(answer)
        // Threads of the check may be left.
        _exit(0)
    }
}
