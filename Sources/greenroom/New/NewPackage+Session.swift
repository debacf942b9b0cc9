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
        let role = template.address.role
        let lines =
            if template.address.filter != nil {
                ["\(role.facts.key):"]
                    + (companion + ["\(PluginAddress.filtersKey):"]
                    + (["- \(section[0])"] + section.dropFirst().indented()).indented())
                    .indented()
            } else if let parent = role.facts.parent {
                ["\(parent.facts.key):"]
                    + (companion + ["\(role.facts.key):"] + section.indented()).indented()
            } else {
                ["\(role.facts.key):"] + section.indented()
            }
        return lines.joined(separator: "\n")
    }
}

extension Sequence<String> {
    fileprivate func indented() -> [String] { map { "  \($0)" } }
}
