import GreenroomDecisions
import GreenroomHarness
import GreenroomHost
import GreenroomIsolation
import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomSandbox
import GreenroomSession

/// The first steps of a session's plugins, for `check`.
///
/// Each plugin is created and initialized as in the session, in a separate process: with the
/// settings, the grants and the sandbox of the session. A bundled plugin of the host's process gets
/// a sandbox that can read only the paths in its settings, so that `check` does not start the
/// programs and open the connections of a file that somebody else wrote.
struct PluginTrial {
    /// The result of the trial.
    struct Result {
        /// Failures that the session would end with.
        var faults: [ConfigurationProblem] = []
        /// Failures after which the session would continue.
        var warnings: [ConfigurationProblem] = []
        /// The exit code of `run`; nil if the session would continue.
        var status: ExitStatus?
    }

    /// A plugin that failed.
    private struct Failed {
        let address: PluginAddress
        let plugin: SourcePlan
        var problem: ConfigurationProblem
        let failure: StartForecast.Failure
    }

    /// Limit of plugins to try, because each costs a process. A session has few plugins.
    private static let most = 32

    let plan: SessionPlan
    let locator: PluginLocator

    /// Tries the plugins, and decides as a session would if the plugins that fail here failed in each life.
    func run() -> Result {
        let clock = HarnessClock(.real)
        defer { clock.leave() }
        let tried = tried
        // The parts of a script share a process, which ends with the last of them.
        var scripts: [PluginHarness] = []
        defer { for harness in scripts { harness.leave() } }
        let failed = tried.prefix(Self.most).enumerated().compactMap { number, tried in
            failure(of: tried.plugin, at: tried.address, clock, number, &scripts)
        }
        var result = Result()
        result.status = outcome(of: failed).map { ExitStatus($0) }
        // Several plugins may be the cause together.
        let ending = failed.filter { outcome(of: [$0]) != nil }
        let faults = result.status == nil ? [] : ending.isEmpty ? failed : ending
        result.faults = faults.map(\.problem)
        result.warnings = failed.filter { one in !faults.contains { $0.address == one.address } }
            .map { failed in
                var problem = failed.problem
                problem.message = Self.withReaction(problem.message, of: failed.plugin.onFailure)
                return problem
            }
        if tried.count > Self.most {
            result.warnings.append(
                ConfigurationProblem(
                    "the session has \(tried.count) plugins, and the check created only the "
                        + "first \(Self.most).", at: ""))
        }
        for (plugin, problem) in plan.missingWriteGrants {
            guard plugin.onFailure != .off else {
                result.warnings.append(problem)
                continue
            }
            result.faults.append(problem)
            if result.status == nil || result.status == .notReal { result.status = .outputFailed }
        }
        return result
    }

    private func outcome(of failed: [Failed]) -> SessionReport.Outcome? {
        plan.outcome(
            ofFailures: Dictionary(uniqueKeysWithValues: failed.map { ($0.address, $0.failure) }))
    }

    /// Adds the session's reaction to the reason of a failure.
    private static func withReaction(_ reason: String, of policy: FailurePolicy) -> String {
        let reaction =
            policy == .off
            ? "The session continues without it."
            : "The session restarts it, and continues without it after "
                + "\(Limits.restartDelaysNanoseconds.count + 1) failures."
        return "\(reason)\(reason.hasSuffix(".") ? " " : ". ")\(reaction)"
    }

    /// The plugins that the host creates. The host sets the settings of `record`.
    private var tried: [(address: PluginAddress, plugin: SourcePlan)] {
        plan.plugins.filter { address, plugin in
            guard plugin.factory.arrivals == nil else { return false }
            guard case .output(let index) = address else { return true }
            return plan.configuration.outputs[index].output.writtenFolder == nil
        }
    }

    /// - Parameter scripts: Receives the harness of a script, whose instance still lives.
    private func failure(
        of plugin: SourcePlan, at address: PluginAddress, _ clock: HarnessClock, _ number: Int,
        _ scripts: inout [PluginHarness]
    ) -> Failed? {
        let isConfined = plugin.isolation == nil && locator.isBundled(plugin.factory.path)
        guard let isolation = isolation(of: plugin) else { return nil }
        var trial = plugin
        // A script's factory has a process already, with its interpreter.
        let isScript = ScriptInterpreter.runs(plugin.factory.path)
        if !isScript {
            trial.factory = locator.isolated(plugin.factory.path, isolation)
        }
        trial.isolation = isolation
        let deadline =
            (plugin.configuration.callbackDeadline ?? plan.configuration.hangDeadline).nanoseconds
        let harness = PluginHarness(trial, on: clock, as: number, deadlineNanoseconds: deadline)
        defer { if isScript { scripts.append(harness) } else { harness.leave() } }
        var (step, end) = (LifecycleStep.create, harness.create())
        if end == .done {
            let configuration = plan.configuration
            (step, end) = (
                .initialize,
                harness.initializeOnly(
                    harness.nextOffer(
                        maximum: configuration.maximum,
                        table: CapabilityTable(configuration.table).rows))
            )
        }
        func failed(
            _ text: String, _ failure: PluginFailure, in place: String? = nil
        ) -> Failed {
            Failed(
                address: address, plugin: plugin,
                problem: ConfigurationProblem(text, at: place ?? "\(address)"),
                failure: StartForecast.Failure(step, failure))
        }
        switch end {
        case .done, .illegal, .pumps: return nil
        case .hangs:
            return failed(
                "\(step) has not returned after \(deadline.asSeconds) s",
                PluginFailure(fault: "hangs in \(step)"))
        case .lost(let reason):
            return failed("\(step): its process is lost: \(reason)", PluginFailure(fault: reason))
        case .refused(let status, let reason):
            let failure = harness.failure
            let setting = plugin.configuration.setting(in: "\(reason)")
            // The sandbox of the trial may be the cause of any other reason.
            guard
                !isConfined || failure.cause == .brokenRule
                    || failure.cause == .badSettings && setting != nil
            else { return nil }
            guard failure.cause == .badSettings else {
                return failed("\(step) failed (\(status)): \(reason)", failure)
            }
            return failed(
                "\(reason)", failure,
                in: plugin.configuration.pathOfSetting(in: "\(reason)", at: "\(address)"))
        }
    }

    /// The isolation of the trial; nil if the machine cannot confine the plugin.
    private func isolation(of plugin: SourcePlan) -> IsolationPlan? {
        if let isolation = plugin.isolation { return isolation }
        // The library is already loaded into this process.
        guard locator.isBundled(plugin.factory.path) else {
            return IsolationPlan(sandbox: .off, memoryLimit: .megabytes(64_000))
        }
        let named = plugin.settings.compactMap { setting -> String? in
            guard setting.type == .path, plugin.configuration.settings[setting.name] != nil,
                case .string(let path) = setting.value, !path.isEmpty
            else { return nil }
            return path
        }
        return IsolationPlan(
            sandbox: Sandbox.available.gap == nil ? .on : .partial,
            memoryLimit: .megabytes(1000), grants: Grants(read: named))
    }
}

extension PluginConfiguration {
    /// The path of the setting in a plugin's reason; the path of all settings if it names none.
    ///
    /// - Parameter address: The plugin's address.
    func pathOfSetting(in reason: String, at address: String) -> String {
        "\(address).settings" + (setting(in: reason).map { ".\($0)" } ?? "")
    }

    /// The setting in a plugin's reason, which usually contains the setting's name or text; nil if
    /// none.
    func setting(in reason: String) -> String? {
        let names = settings.keys.filter { reason.contains($0) }
        let texts = settings.filter { _, value in
            if case .string(let text) = value {
                !text.isEmpty && reason.contains(text)
            } else {
                false
            }
        }.keys
        return (names.isEmpty ? Array(texts) : names).max { ($0.count, $0) < ($1.count, $1) }
    }
}

extension Int64 {
    /// Nanoseconds as seconds with one digit.
    fileprivate var asSeconds: Double { (Double(self) / 1e8).rounded() / 10 }
}
