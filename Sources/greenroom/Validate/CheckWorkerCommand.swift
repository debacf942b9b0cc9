import ArgumentParser
import CLinux
import Glibc
import GreenroomSystem
import GreenroomValidator
import SystemPackage

/// `greenroom check-worker`: the process of one check. `greenroom validate` starts it.
struct CheckWorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: CheckWorker.command,
        abstract: "Run one check, as greenroom validate requests it.",
        shouldDisplay: false)

    @Argument(help: .hidden)
    var task: String?

    func run() throws {
        // If the requester is already gone, the parent is not the process in the request.
        _ = greenroom_set_parent_death_signal(SIGKILL)
        if let task {
            guard CheckWorker.perform(task) else {
                throw ExitError(
                    .usage, "check-worker is started by greenroom validate, with a request.")
            }
            _exit(0)
        }
        let request = try? FileDescriptor.standardInput.readToEnd()
        guard let answer = CheckWorker.run(request ?? []) else {
            throw ExitError(
                .usage, "check-worker is started by greenroom validate, with a request.")
        }
        _ = try? StandardOutput.descriptor.writeAll(answer)
        // Threads of the check may still run.
        _exit(0)
    }
}
