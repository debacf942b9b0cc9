import Glibc
import TestSupport

/// Runs the `greenroom` command.
enum Greenroom {
    /// Runs it until it ends.
    ///
    /// - Parameters:
    ///   - environment: Changes to the environment; nil removes a variable. By default plugins are
    ///     found only beside the command.
    ///   - limit: The time after which it is killed and the test fails.
    static func run(
        _ arguments: String..., input: [UInt8] = [], environment: [String: String?] = [:],
        atMost limit: Duration = .seconds(180)
    ) throws -> Finished {
        try start(arguments, input: input, environment: environment).wait(atMost: limit)
    }

    /// Starts it, for tests that send it signals.
    static func start(
        _ arguments: [String], input: [UInt8] = [], environment: [String: String?] = [:]
    ) throws -> ChildProcess {
        guard access(Checkout.greenroom, X_OK) == 0 else {
            throw Failure("\(Checkout.greenroom) is not there: build it with `swift build`")
        }
        return try ChildProcess(
            Checkout.greenroom, arguments, input: input,
            environment: Self.environment.merging(environment) { $1 })
    }

    /// Changes to the environment of programs that are or contain the host.
    static let environment: [String: String?] = [
        "GREENROOM_PLUGIN_PATH": nil,
        // Don't use the user's cache.
        "XDG_CACHE_HOME": Checkout.products + "/test-cache",
        // With the address sanitizer, closures of static values count as leaks at the end of the
        // process and change its exit code.
        "ASAN_OPTIONS": "detect_leaks=0",
    ]
}

extension Finished {
    /// The results that hostile plugins logged.
    var answers: [Answer] { Answer.all(in: standardError) }

    /// The results of the calls with a name, in order.
    func answers(to call: String) -> [Answer] { answers.filter { $0.call == call } }

    /// The log lines of and about the plugin with a role, e.g. `"camera"`.
    func lines(of role: String) -> String {
        standardError.split(separator: "\n").filter { $0.hasPrefix("\(role): ") }
            .joined(separator: "\n")
    }
}

/// The host's result of a hostile plugin's call, from its line `status CALL NUMBER TEXT`.
struct Answer: Equatable {
    /// The call, e.g. `"short-luma"`.
    var call: String
    /// The status that the host returned.
    var status: Int32
    /// The text of the refusal; empty if there is none.
    var text: String

    static func all(in log: String) -> [Answer] {
        log.split(separator: "\n").compactMap { line in
            guard let match = line.firstMatch(of: #/\bstatus ([a-z0-9-]+) (-?[0-9]+) ?(.*)$/#),
                let status = Int32(match.2)
            else { return nil }
            return Answer(call: String(match.1), status: status, text: String(match.3))
        }
    }
}
