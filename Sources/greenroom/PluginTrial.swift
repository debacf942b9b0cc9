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
    /// A plugin that failed.
    struct Finding {
        var problem: ConfigurationProblem
        /// The exit code of `run` for the failure; nil for a warning, because the session would
        /// continue or the failure depends on the machine.
        var status: ExitStatus?
    }

    /// Limit of plugins to try, because each costs a process. A session has few plugins.
    private static let most = 32

    let plan: SessionPlan
    let locator: PluginLocator

    /// The plugins that fail, each with the reason.
    func findings() -> [Finding] {
        let clock = HarnessClock(.real)
        defer { clock.leave() }
        let tried = tried
        var findings = tried.prefix(Self.most).enumerated().compactMap { number, tried in
            finding(tried.plugin, at: tried.address, clock, number)
        }
        if tried.count > Self.most {
            findings.append(
                Finding(
                    problem: ConfigurationProblem(
                        "the session has \(tried.count) plugins, and the check created only the "
                            + "first \(Self.most).", at: "")))
        }
        findings += plan.missingWriteGrants.map { plugin, problem in
            Finding(problem: problem, status: plugin.onFailure == .off ? nil : .outputFailed)
        }
        return findings
    }

    /// The plugins that the host creates. The host sets the settings of `record`.
    private var tried: [(address: PluginAddress, plugin: SourcePlan)] {
        plan.plugins.filter { address, plugin in
            guard plugin.factory.arrivals == nil else { return false }
            guard case .output(let index) = address else { return true }
            return plan.configuration.outputs[index].output.writtenFolder == nil
        }
    }

    private func finding(
        _ plugin: SourcePlan, at address: PluginAddress, _ clock: HarnessClock, _ number: Int
    ) -> Finding? {
        let isConfined = plugin.isolation == nil && locator.isBundled(plugin.factory.path)
        guard let isolation = isolation(of: plugin) else { return nil }
        var trial = plugin
        // A script's factory has a process already, with its interpreter.
        if !ScriptInterpreter.runs(plugin.factory.path) {
            trial.factory = locator.isolated(plugin.factory.path, isolation)
        }
        trial.isolation = isolation
        let deadline =
            (plugin.configuration.callbackDeadline ?? plan.configuration.hangDeadline).nanoseconds
        let harness = PluginHarness(trial, on: clock, as: number, deadlineNanoseconds: deadline)
        defer { harness.leave() }
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
        func finding(_ text: String, _ status: ExitStatus, isOfMachine: Bool = false) -> Finding {
            Finding(
                problem: ConfigurationProblem(text, at: "\(address)"),
                status: plugin.onFailure == .off || isOfMachine ? nil : status)
        }
        switch end {
        case .done, .illegal, .pumps: return nil
        case .hangs:
            return finding("\(step) has not returned after \(deadline.asSeconds) s", .pluginFailed)
        case .lost(let reason):
            return finding("\(step): its process is lost: \(reason)", .pluginFailed)
        case .refused(let status, let reason):
            if harness.failure.cause == .badSettings {
                // The sandbox of the trial may be the cause of a reason that names no setting.
                guard !isConfined || plugin.configuration.setting(in: "\(reason)") != nil else {
                    return nil
                }
                return Finding(
                    problem: ConfigurationProblem(
                        "\(reason)",
                        at: plugin.configuration.pathOfSetting(in: "\(reason)", at: "\(address)")),
                    status: .badFile)
            }
            let text = "\(step) failed (\(status)): \(reason)"
            if harness.failure.cause == .brokenRule { return finding(text, .badFile) }
            // The sandbox of the trial may be the cause.
            guard !isConfined else { return nil }
            return finding(
                text, .pluginFailed, isOfMachine: status == .unavailable && !harness.wasDenied)
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
