public import GreenroomConfig
import GreenroomRuntime
public import GreenroomSchema
public import GreenroomSession

extension Session {
    /// Makes a session of a configuration: finds its plugins, loads those that run in this process,
    /// and checks what is wanted of them. Nothing runs and no output is open before `run()`.
    ///
    /// - Parameters:
    ///   - configuration: What to run.
    ///   - installation: Where bundled plugins and `greenroom-runner` are.
    ///   - events: Gets every event, on any thread, several at once; it must not wait long.
    /// - Throws: Every problem of the configuration at once.
    public convenience init(
        _ configuration: SessionConfiguration, installation: Installation = .standard,
        events: @escaping @Sendable (SessionEvent) -> Void = { _ in }
    ) throws(ConfigurationError) {
        var plan = try SessionPlan(configuration, locator: installation.locator())
        plan.awaitBroadcast()
        self.init(plan: plan, events: events)
    }

    /// Makes a session of what a session file says.
    ///
    /// - Parameters:
    ///   - file: What to run; its configuration may have been changed.
    ///   - installation: Where bundled plugins and `greenroom-runner` are.
    ///   - events: Gets every event, on any thread, several at once; it must not wait long.
    /// - Throws: Every problem of the file at once, each at its place.
    public convenience init(
        _ file: SessionFile, installation: Installation = .standard,
        events: @escaping @Sendable (SessionEvent) -> Void = { _ in }
    ) throws(SessionFileError) {
        do throws(ConfigurationError) {
            try self.init(file.configuration, installation: installation, events: events)
        } catch {
            throw file.located(error)
        }
    }

    /// Runs the session on a thread of its own, from the first plugin's `create` to the last
    /// output's end. A session runs once. Cancelling the task stops it in order.
    ///
    /// - Returns: What happened, whatever it was.
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
    /// What the file says, with its plugins.
    ///
    /// - Throws: Every problem at once, each at its place in the file.
    package func plan(with locator: PluginLocator) throws(SessionFileError) -> SessionPlan {
        do throws(ConfigurationError) {
            return try SessionPlan(configuration, locator: locator)
        } catch {
            throw located(error)
        }
    }
}
