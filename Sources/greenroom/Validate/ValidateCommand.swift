import ArgumentParser
import GreenroomValidator

/// `greenroom validate PLUGIN`.
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Find out whether a plugin keeps the rules of the interface.")

    @Argument(help: "The plugin's library.")
    var plugin: String

    @Option(help: "Ids of checks or groups, separated by commas.")
    var only: String?

    @Option(help: "What everything random is made from.")
    var seed: UInt64 = 1

    @Flag(help: "The picture stands still, or is of one colour, on purpose.")
    var still = false

    func run() throws {
        var options = Validator.Options()
        options.only = only.map { $0.split(separator: ",").map(String.init) } ?? []
        options.seed = seed
        options.isStill = still
        do {
            let reports = try Validator().validate(plugin, options) { plugin, result in
                print("\(plugin)  \(result.check)  \(result.outcome.rawValue)  \(result.text)")
                for line in result.details { print("    \(line)") }
            }
            guard reports.allSatisfy(\.isSound) else { throw Failure(explained: .pluginFailed) }
        } catch let problem as Validator.Problem {
            throw Failure(.badFile, problem.description)
        }
    }
}
