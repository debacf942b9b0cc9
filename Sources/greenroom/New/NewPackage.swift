import GreenroomMedia

/// The files of a new plugin.
struct NewPackage {
    /// The base that the source is built against.
    enum Base {
        /// The path of Greenroom's package, from the plugin's folder or absolute.
        case package(String)
        /// Greenroom's SDK, copied into the plugin's folder.
        case sdk([PackageFile])
        /// Headers, copied into the plugin's folder.
        case headers([PackageFile])
        /// The Python package, which the interpreter has.
        case python
    }

    let plugin: NewPlugin
    /// The program that runs the plugin.
    let program: InstalledProgram
    let base: Base

    /// The example test's file.
    static let test = "Tests/PluginTests.swift"

    /// Whether the package has a test. The SDK alone and the vendors' packages have no sessions.
    var hasTest: Bool { if case .package = base { plugin.style == nil } else { false } }

    /// The files in reading order.
    var files: [PackageFile] {
        var files = [
            PackageFile(path: "README.md", text: readme),
            PackageFile(path: plugin.source, text: plugin.sourceText),
        ]
        switch base {
        case .package(let path):
            let template = plugin.style == nil ? "Package.swift" : "StylePackage.swift"
            let manifest = plugin.manifest(greenroom: path, template)
            files.append(PackageFile(path: "Package.swift", text: manifest))
            if hasTest { files.append(PackageFile(path: Self.test, text: plugin.testText)) }
        case .sdk(let sdk):
            let manifest = plugin.manifest(greenroom: NewPlugin.sdk, "SDKPackage.swift")
            files.append(PackageFile(path: "Package.swift", text: manifest))
            files += sdk
        case .headers(let headers):
            files += plugin.buildFiles + headers
        case .python:
            files.append(plugin.pythonTest)
        }
        files.append(PackageFile(path: "session.yaml", text: session))
        return files
    }

    /// The names of the files. One word represents the SDK.
    private var names: [String] {
        let sdk = "\(NewPlugin.sdk)/"
        let own = files.map(\.path).filter { !$0.hasPrefix(sdk) }
        return own.count < files.count ? own + [sdk] : own
    }

    /// The created files, and the next commands.
    var summary: [String] {
        [
            "\(plugin.name)/ has \(plugin.template.title) in \(plugin.language.title): "
                + names.joined(separator: ", "),
            "",
            "Next:",
            "    cd \(plugin.name) && \(plugin.build)",
            "    \(program.command) validate ./\(plugin.library)",
            "    \(program.command) run session.yaml",
        ]
    }
}
