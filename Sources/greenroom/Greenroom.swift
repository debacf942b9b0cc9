import ArgumentParser
import Glibc
import GreenroomHost

/// The command line.
@main
struct Greenroom: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greenroom",
        abstract: "Hosts cameras, microphones and screen shares that are plugins.",
        discussion: """
            Exit codes:
            \(ExitStatus.table)
            """,
        version: GreenroomVersion.current,
        subcommands: [
            RunCommand.self, CheckCommand.self, PluginsCommand.self, PluginCommand.self,
            SchemaCommand.self,
        ])

    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            if let standardError { fputs("greenroom: \(failure.message)\n", standardError) }
            fflush(standardError)
            Glibc.exit(failure.status.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}
