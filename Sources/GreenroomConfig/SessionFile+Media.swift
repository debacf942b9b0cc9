import GreenroomModel
import GreenroomSchema
import GreenroomSession

/// `media`: one file or stream as the video and the audio of the session, or of its share. It is short for the
/// sections of two plugins, which the decoder reads.
extension SessionDecoder {
    static let mediaKey = "media"

    /// The roles that a file may have.
    enum MediaRole: String, CaseIterable, Sendable {
        case camera, share

        /// The sections that `media` expands to, each with its plugin. An inner one comes after the one around it.
        var sections: [(role: SessionRole, plugin: String)] {
            switch self {
            case .camera: [(.camera, "Media"), (.microphone, "MediaAudio")]
            case .share: [(.share, "MediaShare"), (.shareAudio, "MediaShareAudio")]
            }
        }
    }

    struct Media: Sendable {
        var role = MediaRole.camera
        var file: String?
        var url: String?
        var device: String?
        /// Read the section only to check it, because the sections that it expands to have the same keys.
        var plugin = Source()
    }

    /// The settings of the plugins that are keys of the section.
    static let mediaSettings = ["file", "url", "device"]

    /// The section's keys that belong to the plugins.
    private static let mediaPluginFields =
        (pluginFields("The plugin", example: ("Media", ["loop": false])) + [startDeadline])
        .filter { $0.schema.key != "plugin" }

    fileprivate static let mediaPluginKeys = mediaPluginFields.map(\.schema.key).filter {
        $0 != "settings"
    }

    static let media = Field(
        mediaKey, \Draft.media,
        Decoder<Media>.section(
            Media(), name: mediaKey, "A file or stream, and its role in the session.",
            expectation: "a section with the key \"file\"",
            presence: .exactlyOneOf(mediaSettings),
            fields: [
                Field(
                    "as", \.role,
                    .choice {
                        switch $0 {
                        case .camera: "Its video is the camera, its audio the microphone."
                        case .share: "Its video is the share, its audio the share's audio."
                        }
                    },
                    "The role in the session.", examples: ["share"],
                    defaultValue: .string(MediaRole.camera.rawValue)),
                Field(
                    "file", \.file, .text("the path of a file"),
                    "A video or audio file, relative to this file's folder.",
                    examples: ["talk.mp4"]),
                Field(
                    "url", \.url, .text("a URL"),
                    "A stream; it needs \"allow: { network: true }\".",
                    examples: ["rtsp://camera.example/stream"]),
                Field(
                    "device", \.device, .text("an input of libavdevice and its source"),
                    "A source of libavdevice: a filter graph.", examples: ["lavfi:testsrc2"]),
            ]
                + mediaPluginFields.map { $0.within(\.plugin) }
        ) { media, _ in media },
        "A file or stream as camera and microphone, or as the share and its audio. Short for the "
            + "plugins Media and MediaAudio, or MediaShare and MediaShareAudio, with equal settings.",
        examples: [["file": "talk.mp4", "as": "camera"]])
}

extension ConfigNode {
    /// The file with the sections that `media` expands to, and the paths of these.
    ///
    /// - Parameter diagnostics: Gets a problem for each of them that the file has, too.
    func expandingMedia(_ diagnostics: inout [Diagnostic]) -> (root: ConfigNode, sections: [String])
    {
        guard case .mapping(var entries) = content,
            let place = entries.firstIndex(where: { $0.key == SessionDecoder.mediaKey }),
            case .mapping(let keys) = entries[place].value.content, let role = mediaRole
        else { return (self, []) }
        let taken = role.sections.compactMap { part in
            entries.first { $0.key == part.role.rawValue }
        }
        for entry in taken {
            diagnostics.append(
                Diagnostic(
                    "\"\(SessionDecoder.mediaKey)\" is the \(entry.key). Remove one of them, or "
                        + "name the plugins Media and MediaAudio in separate sections.",
                    at: SourceLocation(entry.keyOrigin, path: entry.key)))
        }
        guard taken.isEmpty else { return (self, []) }
        var sections: [Entry] = []
        for (role, plugin) in role.sections {
            let section = entries[place].section(of: plugin, from: keys)
            guard let parent = role.facts.parent,
                let outer = sections.firstIndex(where: { $0.key == parent.facts.key }),
                case .mapping(let fields) = sections[outer].value.content
            else {
                sections.append(section.renamed(role.facts.key))
                continue
            }
            sections[outer].value.content = .mapping(
                fields + [section.renamed(role.facts.key)])
        }
        entries.insert(contentsOf: sections, at: place + 1)
        return (
            ConfigNode(content: .mapping(entries), origin: origin),
            role.sections.map(\.role.rawValue)
        )
    }

    /// The value of the file's `media`; nil without one, and if its role can't be read.
    fileprivate var mediaRole: SessionDecoder.MediaRole? {
        guard let media = value(of: SessionDecoder.mediaKey) else { return nil }
        guard let role = media.value(of: "as") else { return .camera }
        guard case .text(let text)? = role.scalar else { return nil }
        return SessionDecoder.MediaRole(rawValue: text)
    }

}

extension ConfigNode.Entry {
    /// The section of a plugin with the keys of this one.
    fileprivate func section(of plugin: String, from keys: [ConfigNode.Entry]) -> ConfigNode.Entry {
        let isSetting = { SessionDecoder.mediaSettings.contains($0) }
        var settings = keys.filter { isSetting($0.key) }
        var fields = keys.filter { SessionDecoder.mediaPluginKeys.contains($0.key) }
        if let given = keys.first(where: { $0.key == "settings" }) {
            if case .mapping(let entries) = given.value.content {
                settings += entries
            } else {
                fields.append(given)
            }
        }
        func entry(_ key: String, _ content: ConfigNode.Content) -> ConfigNode.Entry {
            ConfigNode.Entry(
                key: key, keyOrigin: keyOrigin,
                value: ConfigNode(content: content, origin: value.origin))
        }
        fields.append(entry("plugin", .scalar(plugin, isPlain: false)))
        if !fields.contains(where: { $0.key == "settings" }) {
            fields.append(entry("settings", .mapping(settings)))
        }
        return entry(key, .mapping(fields))
    }

    fileprivate func renamed(_ key: String) -> ConfigNode.Entry {
        ConfigNode.Entry(key: key, keyOrigin: keyOrigin, value: value)
    }
}
