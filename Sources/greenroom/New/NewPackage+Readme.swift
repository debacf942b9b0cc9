import GreenroomMedia

extension NewPackage {
    /// `README.md`.
    var readme: String {
        if let style = plugin.style { return readme(of: style) }
        let introduction =
            "This is \(plugin.template.title) for Greenroom, in "
            + "\(plugin.language.title): \(plugin.template.content)."
        let explanation =
            "`\(plugin.build)` builds \(plugin.building). `validate` checks that the plugin keeps the "
            + "rules that hosts rely on, and names each broken rule. `run` \(plugin.running). "
            + "Run it with another value of its setting:"
        let function =
            "`\(plugin.function)`, in `\(plugin.source)`, is where \(plugin.template.task)."
        let identity =
            plugin.language == .python
            ? "The class `\(plugin.type)`: its name is the plugin's, and `greenroom plugin info "
                + "./\(plugin.library)` shows its comment and its settings."
            : "The id, `\(plugin.id)`: begin it with a domain of yours before others have the plugin. It "
                + "never changes."
        let setting =
            "The setting `\(plugin.template.setting.name)`: \(plugin.settingPlaces). `session.yaml` sets it, "
            + "too. The host checks the values of the session file before the plugin sees them."
        let test =
            "`\(Self.test)` is an example of a test: `swift test` runs the plugin in a session without "
            + "processes and devices, whose time passes only when the test advances it."
        return #"""
            # \#(plugin.name)

            \#(introduction.wrapped(at: Self.columns))

            \#(path)    \#(plugin.build)
                greenroom validate ./\#(plugin.library)
                greenroom run session.yaml

            \#(explanation.wrapped(at: Self.columns))

                greenroom run session.yaml --set \#(plugin.assignment)

            ## What to change first

            \#(item(function))
            \#(item(identity))
            \#(item(setting))
            \#(hasTest ? item(test) + "\n" : "")
            \#(reference.wrapped(at: Self.columns))

            """#
    }

    /// `README.md` of a camera with a vendor's names.
    private func readme(of style: NewPlugin.Style) -> String {
        let introduction =
            "This is a camera for Greenroom that was written for \(style.title): "
            + "\(plugin.template.content)."
        let replace =
            "`\(plugin.source)`: replace its camera with yours. Replace "
            + "all imports, even the imports of Foundation and Apple's frameworks, with `import "
            + "\(style.module)`: a second import makes names such as `Timer` and `Call` ambiguous."
        let identity =
            "The id, `\(plugin.id)`: begin it with a domain of yours before others have the plugin. It "
            + "never changes."
        let mode =
            "`Package.swift` keeps Swift 5 mode: vendors' pumps capture objects that are not Sendable, "
            + "which Swift 6 mode rejects (`SendingClosureRisksDataRace`)."
        return #"""
            # \#(plugin.name)

            \#(introduction.wrapped(at: Self.columns))

            \#(path)    \#(plugin.build)
                greenroom run session.yaml

            `run` has it send for five seconds: look at `\#(plugin.template.result)`.

            ## What to change first

            \#(item(replace))
            \#(item(identity))
            \#(item(mode))

            \#(reference.wrapped(at: Self.columns))

            """#
    }

    /// The width of the text.
    private static let columns = 90

    /// An item of a list.
    private func item(_ text: String) -> String {
        "-" + text.wrapped(at: Self.columns, indent: "  ").dropFirst()
    }

    /// The command that adds the program to the shell's path; empty if the shell finds the program.
    private var path: String {
        program.isOnPath
            ? "" : "    export PATH=\(program.startedFolder.quotedForShell):\"$PATH\"\n"
    }

    private var reference: String {
        switch base {
        case .sdk:
            return "`\(NewPlugin.sdk)` is a copy of Greenroom's SDK: replace it to move to another "
                + "version. The guides, from a first camera to threads and audio, are in "
                + "`\(NewPlugin.sdk)/docs/book/README.md`."
        case .package(let path):
            return "The guides, from a first camera to threads and audio, are in "
                + "`\(path)/docs/book/README.md`."
        case .python:
            return
                "The package describes every class and method: `python3 -m pydoc greenroom`. Install it "
                + "where the plugin runs, in a virtual environment `.venv` here: "
                + "`python3 -m venv .venv && .venv/bin/pip install PATH/greenroom-*.whl pytest`, "
                + "with the path of Greenroom's wheel."
        case .headers(let headers):
            let kind = plugin.template.kind
            guard kind.takesMedia else {
                return
                    "`greenroom/plugin.h` is the whole contract, with the thread and the state of "
                    + "every call; `\(headers.last?.path ?? "")` is what the plugin uses of it."
            }
            return
                (kind.isCall
                ? "`greenroom/call.h` is the contract of calls, on top of `greenroom/output.h`, "
                : "`greenroom/output.h` is the contract of "
                    + (kind.isComposer ? "outputs and composers, " : "outputs, "))
                + "with the thread and the state of every function. `greenroom/plugin.h` is the "
                + "contract of all plugins."
        }
    }
}

extension NewPlugin {
    /// The function that an author changes first.
    fileprivate var function: String { template.sources[language]?.function ?? "" }

    /// Another value of the setting, for `--set`.
    fileprivate var assignment: String {
        let setting = template.setting
        return "\(template.address).settings.\(setting.name)=\(setting.another)".quotedForShell
    }

    /// The effect of the first command.
    fileprivate var building: String {
        switch language {
        case .swift: "`\(library)`, against the SDK that `Package.swift` names"
        case .python: "nothing: it runs the test, on a clock that the test advances"
        case .c, .cxx: "`\(library)`, and needs a \(language.title) compiler and nothing else"
        }
    }

    /// The session's use of the plugin.
    fileprivate var running: String {
        guard !template.kind.isCall else {
            return "brings the participant for five seconds: look at `\(template.result)`, and in "
                + "`recording/session.json`, under `participants`, at the outcome of their media"
        }
        return template.kind.isOutput
            ? "gives it five seconds of \(template.companion ?? ""): look at `\(template.result)`, and in "
                + "`recording/session.json`, under `outputPlugins`, at the outcome of its media"
            : "has it send for five seconds: look at `\(template.result)`, and in "
                + "`recording/session.json` at the outcome of its media"
    }

    /// The places of the setting in the source.
    fileprivate var settingPlaces: String {
        switch language {
        case .swift: "`Settings` has its default, and `table` its bounds"
        case .c: "`parameters` has its default and its bounds, and `set` takes it over"
        case .python: "the attribute has its default and its bounds"
        case .cxx where template.kind.takesMedia:
            "`parameters` has its default and its bounds, and `set` takes it over"
        case .cxx: "`description` has its default and its bounds, and `set` takes it over"
        }
    }
}
