import Glibc
import TestSupport

/// The `greenroom` command, run as people run it.
enum Greenroom {
    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - environment: Changes to the environment; nil takes a variable away. Plugins are found
    ///     beside the command, and nowhere else unless this says so.
    ///   - limit: After this long it is killed, and the test has failed.
    static func run(
        _ arguments: String..., input: [UInt8] = [], environment: [String: String?] = [:],
        atMost limit: Duration = .seconds(60)
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
        let own: [String: String?] = [
            "GREENROOM_PLUGIN_PATH": nil,
            // The user's own is left alone.
            "XDG_CACHE_HOME": Checkout.products + "/test-cache",
            // Of a build with the address sanitizer: Swift's own closures of static values count as
            // leaks at the end of the process, and change its exit code.
            "ASAN_OPTIONS": "detect_leaks=0",
        ]
        return try ChildProcess(
            Checkout.greenroom, arguments, input: input,
            environment: own.merging(environment) { $1 })
    }
}

extension Finished {
    /// What hostile plugins said of the host's answers.
    var answers: [Answer] { Answer.all(in: standardError) }

    /// The answers to what was done under a name, in order.
    func answers(to call: String) -> [Answer] { answers.filter { $0.call == call } }

    /// What the plugin at a place of the session said, e.g. `"camera"`, and what the host said of it.
    func lines(of role: String) -> String {
        standardError.split(separator: "\n").filter { $0.hasPrefix("\(role): ") }
            .joined(separator: "\n")
    }
}

/// The host's answer to a call of a hostile plugin, from its line `status CALL NUMBER TEXT`.
struct Answer: Equatable {
    /// What the plugin did, e.g. `"short-luma"`.
    var call: String
    /// The status that the host returned.
    var status: Int32
    /// The text that came with it; empty if the call was not refused.
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
