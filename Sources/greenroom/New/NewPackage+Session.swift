import GreenroomMedia
import GreenroomModel

// The files for trying a plugin.

extension NewPackage {
    /// `session.yaml`.
    var session: String {
        #"""
        # \#(plugin.name), built as README.md says, recorded for five seconds.
        session:
          maximum: 1280x720@30
          duration: 5s

        \#(sources.joined(separator: "\n"))

        \#(outputs.joined(separator: "\n"))
          - record:
              folder: recording
              overwrite: true
        \#(loudspeaker)
        """#
    }

    private var loudspeaker: String {
        plugin.template.kind.facts.medium == .audio
            ? "  # - loudspeaker: default   # to hear it, where there is a sound card\n" : ""
    }

    /// The sources: the plugin, its companion, or both.
    private var sources: [String] {
        let companion = plugin.template.companion.map { ["plugin: \($0)"] } ?? []
        switch plugin.template.address {
        case .output, .call, .callFilter:
            let source = ["\(plugin.template.companionKey):"] + companion.indented()
            if plugin.template.isAgent {
                let guest = [
                    "plugin: LoopbackCall", "settings:",
                    "  script: Ana 0s microphone; Ben 1s microphone mute=2s-3s",
                ]
                return ["microphone:"] + section.indented() + ["", "\(PluginAddress.callKey):"]
                    + guest.indented()
            }
            guard plugin.template.kind.isCall else { return source }
            return source + ["", "\(PluginAddress.callKey):"] + section.indented()
        case .filter(_, let role):
            let filters = ["\(PluginAddress.filtersKey):"] + section.asEntry.indented()
            return ["\(role.facts.key):"] + (companion + filters).indented()
        case .source(let role) where role.composes:
            let source = ["\(plugin.template.companionKey):"] + companion.indented()
            return source + ["", "\(role.facts.key):"] + section.indented()
        case .source(let role):
            let own = ["\(role.facts.key):"] + section.indented()
            return role.facts.parent.map { ["\($0.facts.key):"] + (companion + own).indented() }
                ?? own
        }
    }

    /// The outputs before the recording.
    private var outputs: [String] {
        ["\(PluginAddress.outputsKey):"]
            + (plugin.template.address == .output(0) ? section.asEntry.indented() : [])
    }

    /// The plugin's section of the session file.
    private var section: [String] {
        let template = plugin.template
        var lines = [
            "plugin: ./\(plugin.library)"
        ]
        guard plugin.style == nil else { return lines }
        lines += ["settings:", "  \(template.setting.name): \(template.setting.usual)"]
        if let file = template.file {
            lines += [
                "  \(file.setting): \(file.path)",
                "allow: { write: [.] }   # it makes a file in this folder",
            ]
        }
        return lines
    }
}

extension Sequence<String> {
    fileprivate func indented() -> [String] { map { "  \($0)" } }

    /// As one entry of a list.
    fileprivate var asEntry: [String] {
        enumerated().map { "\($0.offset == 0 ? "-" : " ") \($0.element)" }
    }
}
