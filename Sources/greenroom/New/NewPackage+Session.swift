import GreenroomMedia
import GreenroomModel

// What tries a plugin.

extension NewPackage {
    /// `session.yaml`.
    var session: String {
        #"""
        # \#(plugin.name), built as README.md says, recorded for five seconds.
        session:
          maximum: 1280x720@30
          duration: 5s

        \#(places)

        outputs:
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

    /// The plugin, and the one that a session needs beside it.
    private var places: String {
        let template = plugin.template
        let section = [
            "plugin: ./\(plugin.library)", "settings:",
            "  \(template.setting.name): \(template.setting.usual)",
        ]
        let companion = template.companion.map { ["plugin: \($0)"] } ?? []
        let entry = ["- \(section[0])"] + section.dropFirst().indented()
        let lines: [String]
        switch template.address {
        case .output:
            lines = ["\(PluginAddress.outputsKey):"] + entry.indented()
        case .filter(_, let role):
            let filters = ["\(PluginAddress.filtersKey):"] + entry.indented()
            lines = ["\(role.facts.key):"] + (companion + filters).indented()
        case .source(let role):
            let own = ["\(role.facts.key):"] + section.indented()
            lines =
                role.facts.parent.map { ["\($0.facts.key):"] + (companion + own).indented() } ?? own
        }
        return lines.joined(separator: "\n")
    }
}

extension Sequence<String> {
    fileprivate func indented() -> [String] { map { "  \($0)" } }
}
