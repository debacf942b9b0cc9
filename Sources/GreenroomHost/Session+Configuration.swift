public import GreenroomModel
public import GreenroomConfig
import GreenroomRuntime
public import GreenroomSchema
import GreenroomLifecycle
import GreenroomSession

extension Session {
    /// Makes a session from a configuration: finds its plugins, loads those that run in this process
    /// and checks their settings. No plugin runs and no output is open before `run()`.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - installation: The location of bundled plugins and `greenroom-runner`.
    ///   - events: Gets every event, on any thread, several at the same time; it must not block.
    /// - Throws: Every problem of the configuration.
    public convenience init(
        _ configuration: SessionConfiguration, installation: Installation = .standard,
        events: @escaping @Sendable (SessionEvent) -> Void = { _ in }
    ) throws(ConfigurationError) {
        self.init(
            plan: try SessionPlan(configuration, locator: installation.locator()), events: events)
    }

    /// Makes a session from a session file.
    ///
    /// - Parameters:
    ///   - file: The session file; its configuration may have been changed.
    ///   - installation: The location of bundled plugins and `greenroom-runner`.
    ///   - events: Gets every event, on any thread, several at the same time; it must not block.
    /// - Throws: Every problem of the file, each with its location.
    public convenience init(
        _ file: SessionFile, installation: Installation = .standard,
        events: @escaping @Sendable (SessionEvent) -> Void = { _ in }
    ) throws(SessionFileError) {
        self.init(plan: try file.plan(with: installation.locator()), events: events)
    }

    /// Runs the session on a separate thread, from the first `create` to the end of the last
    /// output. A session runs once. Cancelling the task stops it in order.
    ///
    /// - Returns: The report, even if the session failed.
    /// - Throws: `OutputError` when an output can't be opened; then nothing was recorded.
    public func run() async throws -> SessionReport {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                _ = HostThread(name: "session") {
                    continuation.resume(with: Result { try self.run() })
                }
            }
        } onCancel: {
            stop()
        }
    }
}

extension SessionFile {
    /// Makes a plan from the file, with its plugins.
    ///
    /// - Throws: Every problem, each with its location in the file.
    package func plan(with locator: PluginLocator) throws(SessionFileError) -> SessionPlan {
        let problems: [ConfigurationProblem]
        do throws(ConfigurationError) {
            let plan = try SessionPlan(configuration, locator: locator)
            problems = places.arguments(among: plan.secrets).map {
                ConfigurationProblem(
                    "every user of this machine can read the arguments of a program. Set "
                        + "\(SecretFile.key(of: $0)) to a file, credential:NAME or environment:NAME.",
                    at: $0)
            }
            if faults.isEmpty, problems.isEmpty { return plan }
        } catch {
            problems = error.problems
        }
        throw faults.isEmpty ? located(ConfigurationError(problems)) : faults(and: problems)
    }
}
