import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Runs the `greenroom` command.
enum Greenroom {
    /// Runs it until it ends.
    ///
    /// - Parameters:
    ///   - environment: Changes to the environment; nil removes a variable. By default plugins are
    ///     found only beside the command.
    static func run(
        _ arguments: String..., input: [UInt8] = [], environment: [String: String?] = [:]
    ) throws -> Finished {
        try start(arguments, input: input, environment: environment).wait()
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

extension FileSession {
    /// Runs the session to its end.
    func run(
        _ arguments: String..., environment: [String: String?] = [:]
    ) throws -> Finished {
        try run(arguments, environment: environment)
    }

    /// Runs the session to its end.
    func run(
        _ arguments: [String], environment: [String: String?] = [:]
    ) throws -> Finished {
        let run = try Greenroom.start(["run", file] + arguments, environment: environment)
            .wait()
        // A test may have put something else in the report's place.
        let path = recording + "/session.json"
        let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type]
        guard kind as? FileAttributeType == .typeRegular, let report = try? Report(path),
            report.outcome != "running"
        else { return run }
        report.expectAdditive()
        return run
    }

    /// Starts the session, for tests that send it signals.
    func start(_ arguments: String...) throws -> ChildProcess {
        try Greenroom.start(["run", file] + arguments)
    }
}
