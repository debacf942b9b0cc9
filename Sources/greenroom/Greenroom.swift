import ArgumentParser
import CLinux
import Glibc
import GreenroomConfig
import GreenroomOperate
import GreenroomSchema
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomSystem
import SystemPackage

/// The command line.
@main
struct Greenroom: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greenroom",
        abstract:
            "Host plugins: cameras, microphones, screen shares, video and audio filters, outputs and calls.",
        discussion: """
            Exit codes:
            \(ExitStatus.table)
            """,
        version: GreenroomVersion.current,
        subcommands: [
            RunCommand.self, LiveCommand.self, CheckCommand.self, NewCommand.self,
            PreviewCommand.self, ValidateCommand.self, PluginsCommand.self, PluginCommand.self,
            SessionsCommand.self, StatusCommand.self, ControlCommand.self, LogsCommand.self,
            DrainCommand.self, StopCommand.self, ReplayCommand.self, DevicesCommand.self,
            FlagsCommand.self, ExplainConversionCommand.self,
            SchemaCommand.self, CheckWorkerCommand.self,
        ])

    static func main() {
        StandardOutput.reserve()
        do {
            // Swift reads the arguments from /proc.
            guard CommandLine.argc > 0 else {
                throw ExitError(
                    .badFile,
                    "/proc/self/cmdline cannot be read, and the arguments are there. Mount /proc.")
            }
            try checkCommandNames(CommandLine.arguments.dropFirst())
            var command = try parseAsRoot()
            // The validator itself reads the exit status of a check's process.
            if !(command is CheckWorkerCommand) {
                greenroom_report_ends_of_host(ExitStatus.pluginFailed.rawValue)
                if let problem = HostThread.systemProblem() { throw ExitError(.badFile, problem) }
            }
            try command.run()
            // A closed pipe is not an error: readers such as head stop early.
            if let error = Console.flush(), error != .brokenPipe {
                throw ExitError(.outputFailed, "standard output: \(error)")
            }
        } catch let failure as ExitError {
            end(with: failure)
        } catch let error as SessionFileError {
            end(with: ExitError(error))
        } catch let error as SessionConnectionError {
            end(with: ExitError(error))
        } catch let error as UnreadableFileError {
            end(with: ExitError(.badFile, "\(error)"))
        } catch {
            // Help and the version go to standard output.
            let code = exitCode(for: error)
            Console.write(fullMessage(for: error).lines, to: code.isSuccess ? .output : .errors)
            if let error = Console.flush(), error != .brokenPipe {
                end(with: ExitError(.outputFailed, "standard output: \(error)"))
            }
            _exit(code.rawValue)
        }
    }

    private static func end(with failure: ExitError) -> Never {
        Console.write(failure.message, to: .errors)
        // Exit without a plugin's exit handlers: they must not run while a thread hangs in one of
        // them.
        Console.flush()
        _exit(failure.status.rawValue)
    }
}
