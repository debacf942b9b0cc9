import ArgumentParser
import GreenroomSchema

extension Greenroom {
    /// Checks the names of subcommands, even after `help`.
    ///
    /// - Parameter arguments: The arguments of the process, without its own name.
    /// - Throws: ``ExitError`` with the nearest name, if no subcommand has the name.
    static func checkCommandNames(_ arguments: some Sequence<String>) throws(ExitError) {
        var command: any ParsableCommand.Type = Greenroom.self
        var path = "greenroom"
        for (index, argument) in arguments.enumerated() {
            let subcommands = command.configuration.subcommands
            guard !argument.hasPrefix("-"), !subcommands.isEmpty else { return }
            if let next = subcommands.first(where: { $0._commandName == argument }) {
                command = next
                path += " \(argument)"
                continue
            }
            if index == 0, argument == "help" { continue }
            let known =
                subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
                + (index == 0 ? ["help"] : [])
            let meant =
                nearestName(to: argument, among: known).map { " Did you mean \"\($0)\"?" } ?? ""
            throw ExitError(
                .usage,
                "unknown command \"\(argument)\".\(meant) \(path) --help lists the commands.")
        }
    }
}
