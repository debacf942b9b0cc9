import GreenroomHarness
import GreenroomHost
import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomSandbox
import GreenroomSession

/// The answers of plugins to their settings, for `check`.
///
/// Each plugin is created in a sandboxed process that can read only the paths in its settings and
/// the session file's grants. Sources and filters are also initialized there. Only `BAD_SETTING`
/// counts: another failure may come from a missing device or network.
struct SettingTrial {
    /// Limit of plugins to try, because each costs a process. A session has few plugins.
    private static let most = 32

    let plan: SessionPlan
    let locator: PluginLocator

    /// The settings that plugins refuse, each with the reason.
    ///
    /// - Parameter known: The paths that already have a problem.
    func problems(besides known: Set<String>) -> [ConfigurationProblem] {
        let clock = HarnessClock(.real)
        defer { clock.leave() }
        return Array(tried.prefix(Self.most)).enumerated().compactMap { number, tried in
            let (address, plugin) = tried
            guard let reason = refusal(of: plugin, clock, number) else { return nil }
            let path = plugin.configuration.pathOfSetting(in: reason, at: "\(address)")
            return known.contains(path) ? nil : ConfigurationProblem(reason, at: path)
        }
    }

    /// The plugins with settings in the session file. The host sets the settings of `record`.
    private var tried: [(address: PluginAddress, plugin: SourcePlan)] {
        plan.plugins.filter { address, plugin in
            guard !plugin.configuration.settings.isEmpty else { return false }
            guard case .output(let index) = address else { return true }
            return plan.configuration.outputs[index].output.writtenFolder == nil
        }
    }

    private func refusal(of plugin: SourcePlan, _ clock: HarnessClock, _ number: Int) -> String? {
        let path = plugin.factory.path
        let given = plugin.configuration.settings
        let named = plugin.settings.compactMap { setting -> String? in
            guard setting.type == .path, given[setting.name] != nil,
                case .string(let path) = setting.value, !path.isEmpty
            else { return nil }
            return path
        }
        var isolation = IsolationPlan(
            memoryLimit: .megabytes(1000),
            grants: Grants(read: (plugin.isolation?.grants.read ?? []) + named))
        if Sandbox.available.gap != nil {
            guard locator.isBundled(path) else { return nil }
            isolation.sandbox = .partial
        }
        var trial = plugin
        trial.factory = locator.isolated(path, isolation)
        trial.isolation = isolation
        let harness = PluginHarness(trial, on: clock, as: number)
        defer { harness.leave() }
        var end = harness.create()
        if end == .done, !plugin.descriptor.kind.isOutput {
            end = harness.initialize(harness.nextOffer(maximum: plan.configuration.maximum))
        }
        guard case .refused(.badSetting, let reason) = end, !reason.isMissing else { return nil }
        return "\(reason)"
    }
}

extension PluginConfiguration {
    /// The path of the setting in a plugin's reason, which usually contains the setting's name or
    /// text.
    ///
    /// - Parameter address: The plugin's address.
    func pathOfSetting(in reason: String, at address: String) -> String {
        let names = settings.keys.filter { reason.contains($0) }
        let texts = settings.filter { _, value in
            if case .string(let text) = value {
                !text.isEmpty && reason.contains(text)
            } else {
                false
            }
        }.keys
        let named = (names.isEmpty ? Array(texts) : names).max { ($0.count, $0) < ($1.count, $1) }
        return "\(address).settings" + (named.map { ".\($0)" } ?? "")
    }
}
