extension NewPackage {
    /// `README.md`.
    var readme: String {
        let introduction =
            "This is \(plugin.kind.title) for Greenroom, in \(plugin.language.title): \(plugin.what)."
        let explanation =
            "`\(plugin.build)` builds \(plugin.building). `validate` checks that the plugin keeps the "
            + "rules that hosts rely on, and says which it breaks. `run` has it send for five seconds: "
            + "look at `recording/\(plugin.recording)`, and in `recording/session.json` at what became "
            + "of all that it sent. Run it with another value of its setting:"
        let function =
            "`\(plugin.function.name)`, in `\(plugin.source)`, is where \(plugin.function.task)."
        let identity =
            "The id, `\(plugin.id)`: begin it with a domain of yours before others have the plugin. It "
            + "never changes."
        let setting =
            "The setting `\(plugin.setting.name)`: \(plugin.settingPlaces). The host checks the values "
            + "of the session file before the plugin sees them."
        return #"""
            # \#(plugin.name)

            \#(introduction.wrapped())

            \#(path)    \#(plugin.build)
                greenroom validate ./\#(plugin.library)
                greenroom run session.yaml

            \#(explanation.wrapped())

                greenroom run session.yaml --set \#(plugin.assignment)

            ## What to change first

            - \#(function.wrapped(indent: "  "))
            - \#(identity.wrapped(indent: "  "))
            - \#(setting.wrapped(indent: "  "))

            \#(reference.wrapped())

            """#
    }

    /// Has the shell find the program, if it would not.
    private var path: String {
        program.isOnPath ? "" : "    export PATH=\(program.folder.quotedForShell):\"$PATH\"\n"
    }

    private var reference: String {
        switch base {
        case .package(let path):
            "The guides, from a first camera to threads and sound, are in "
                + "`\(path)/Sources/GreenroomPlugin/GreenroomPlugin.docc`."
        case .headers(let headers):
            "`greenroom/plugin.h` is the whole contract, with the thread and the state of every call; "
                + "`\(headers.last?.path ?? "")` is what the plugin uses of it."
        }
    }
}

extension NewPlugin {
    /// What the plugin makes, as it is written.
    fileprivate var what: String {
        switch kind {
        case .camera: "stripes of light that drift across the picture"
        case .microphone, .shareAudio: "a sine of any frequency"
        case .share: "a page of text that scrolls"
        case .preProcessor: "the brown of old photographs"
        }
    }

    /// What a session records of it.
    fileprivate var recording: String {
        switch kind {
        case .camera, .preProcessor: "camera.y4m"
        case .microphone: "camera.wav"
        case .share: "share.y4m"
        case .shareAudio: "share.wav"
        }
    }

    /// The function that an author changes first, and what is done there.
    fileprivate var function: (name: String, task: String) {
        switch (kind, language) {
        case (.camera, .c), (.share, .c): ("draw", "a frame is drawn")
        case (.camera, _), (.share, _): ("fill", "a frame is drawn")
        case (.microphone, _), (.shareAudio, _): ("fill", "samples are made")
        case (.preProcessor, .swift): ("onPreProcessRawData", "a frame is edited")
        case (.preProcessor, _): ("process", "a frame is edited")
        }
    }

    /// Another value of the setting, for `--set`.
    fileprivate var assignment: String {
        let place =
            switch kind {
            case .camera, .microphone, .share: kind.rawValue
            case .shareAudio: "share.audio"
            case .preProcessor: "camera.pre-processors[0]"
            }
        return "\(place).settings.\(setting.name)=\(setting.another)".quotedForShell
    }

    /// What the first command does.
    fileprivate var building: String {
        switch language {
        case .swift: "`\(library)`, against the checkout that `Package.swift` names"
        case .c, .cxx: "`\(library)`, and needs a \(language.title) compiler and nothing else"
        }
    }

    /// Where the setting is in the source.
    fileprivate var settingPlaces: String {
        switch language {
        case .swift: "`Settings` has its default, and `table` its bounds"
        case .c: "`parameters` has its default and its bounds, and `set` takes it over"
        case .cxx: "`description` has its default and its bounds, and `set` takes it over"
        }
    }
}

extension String {
    /// In lines of 90 characters at most, where words let it.
    fileprivate func wrapped(indent: String = "") -> String {
        var lines: [String] = []
        for word in split(separator: " ") {
            if let last = lines.last, last.count + word.count < 90 {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n" + indent)
    }
}
