import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomSession

/// Bundled plugins that belong together by a name in their settings: a command that is an output and a microphone, and
/// a page that is seen and heard.
private struct SharedName {
    /// The setting with the name.
    var setting: String
    /// The ids of the plugins that can't work without one of `owners`.
    var users: Set<String>
    /// The ids of the plugins that give the name to a command or a page.
    var owners: Set<String>
    /// An owner, for messages.
    var owner: String

    static let all = [
        SharedName(
            setting: "process",
            users: ["org.greenroom.command-microphone", "org.greenroom.command-share-audio"],
            owners: ["org.greenroom.command"], owner: "output Command"),
        SharedName(
            setting: "name",
            users: [
                "org.greenroom.browser-ears", "org.greenroom.browser-microphone",
                "org.greenroom.browser-share-audio",
            ],
            owners: ["org.greenroom.browser-camera", "org.greenroom.browser-share"],
            owner: "camera or share of Browser"),
    ]
}

extension SourcePlan {
    /// The text of a setting. nil if the setting has no text, or an empty one.
    func text(_ setting: String) -> String? {
        guard case .string(let text)? = settings.first(where: { $0.name == setting })?.value,
            !text.isEmpty
        else { return nil }
        return text
    }
}

extension SessionPlan {
    /// Bundled plugins that name what no other plugin of the session makes, and pages that would hear themselves.
    var nameProblems: [ConfigurationProblem] {
        SharedName.all.flatMap(problems) + pagesThatHearThemselves
    }

    private func problems(of shared: SharedName) -> [ConfigurationProblem] {
        let known = plugins.filter { shared.owners.contains($0.plugin.descriptor.id) }
            .compactMap { address, plugin in plugin.text(shared.setting).map { (address, name: $0) }
            }
        return plugins.compactMap { address, plugin in
            guard shared.users.contains(plugin.descriptor.id),
                let name = plugin.text(shared.setting),
                !known.contains(where: { $0.name == name })
            else { return nil }
            let fix =
                known.isEmpty
                ? "Give one this \(shared.setting)."
                : "The session has "
                    + "\(known.map { "\"\($0.name)\" (\($0.0))" }.joined(separator: ", ")). "
                    + "Correct the name."
            return ConfigurationProblem(
                "no \(shared.owner) has the \(shared.setting) \"\(name)\". \(fix)",
                at: "\(address).settings.\(shared.setting)")
        }
    }

    /// Outputs that give a page the page's own voice.
    private var pagesThatHearThemselves: [ConfigurationProblem] {
        func names(of id: String) -> Set<String> {
            Set(
                plugins.filter { $0.plugin.descriptor.id == id }.map {
                    $0.plugin.text("name") ?? ""
                })
        }
        let microphones = names(of: "org.greenroom.browser-microphone")
        let voices = microphones.union(names(of: "org.greenroom.browser-share-audio"))
        let hasCall = configuration.outputs.contains { $0.output.isCall }
        return plugins.compactMap { address, plugin in
            guard plugin.descriptor.id == "org.greenroom.browser-ears" else { return nil }
            let (name, heard) = (plugin.text("name") ?? "", plugin.text("hears") ?? "")
            let hearsItself =
                switch heard {
                case "microphone": microphones.contains(name)
                case "full-mix": voices.contains(name)
                case "mix": !hasCall && voices.contains(name)
                default: false
                }
            guard hearsItself else { return nil }
            return ConfigurationProblem(
                "the page would hear itself, because the \(heard) contains what it plays. Write incoming, "
                    + "which needs a call.", at: "\(address).settings.hears")
        }
    }
}
