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
        switch plugin.kind {
        case .microphone, .shareAudio:
            "  # - loudspeaker: default   # to hear it, where there is a sound card\n"
        case .camera, .share, .preProcessor: ""
        }
    }

    /// The plugin, and what a session needs beside one of its kind.
    private var places: String {
        let library = "plugin: ./\(plugin.library)"
        let (setting, value) = (plugin.setting.name, plugin.setting.usual)
        return switch plugin.kind {
        case .camera, .microphone, .share:
            """
            \(plugin.kind.rawValue):
              \(library)
              settings:
                \(setting): \(value)
            """
        case .shareAudio:
            """
            share:
              plugin: ColorBarsShare
              audio:
                \(library)
                settings:
                  \(setting): \(value)
            """
        case .preProcessor:
            """
            camera:
              plugin: ColorBars
              pre-processors:
                - \(library)
                  settings:
                    \(setting): \(value)
            """
        }
    }
}
