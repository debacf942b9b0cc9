import CPluginTemplates

/// The files of a new plugin, made from templates: see `CPluginTemplates`.
extension NewPlugin {
    /// The text of the source file.
    var sourceText: String {
        if let style { return named(Self.template(style.source)) }
        var text = template.sources[language].map { Self.template($0.template) } ?? ""
        for (old, new) in template.replacements { text = text.replacing(old, with: new) }
        return named(text)
    }

    /// The example test of a plugin in Swift.
    var testText: String {
        let plugins = (template.test.fakes + [type]).map { "TestPlugin(\($0).self)" }
        let text = Self.template("Tests.swift")
            .replacing(
                "TestPlugin(MyPlugin.self)",
                with: plugins.joined(separator: ",\n        ") + (plugins.count > 1 ? "," : "")
            )
            .replacing("// The effect of the plugin.", with: template.test.expectation)
        return named(text)
    }

    /// The test of a plugin in Python.
    var pythonTest: PackageFile {
        let steps = template.pythonTest.steps.joined(separator: "\n        ")
        let text = Self.template("test.py")
            .replacing("host.advance(0.5)", with: steps)
            .replacing("assert host.frames", with: template.pythonTest.expectation)
        return PackageFile(path: "test_\(name.replacing("-", with: "_")).py", text: named(text))
    }

    /// The build files of a plugin without a package manager.
    var buildFiles: [PackageFile] {
        let script = Self.template(language == .cxx ? "build-cpp.sh" : "build.sh")
        let build = PackageFile(path: "build.sh", text: named(script))
        // This file lets clangd show the compiler's diagnostics in an editor.
        let standard = language == .cxx ? "c++17" : "c99"
        let flags = PackageFile(
            path: "compile_flags.txt", text: "-std=\(standard)\n-Wall\n-Wextra\n-Wpedantic\n-I.\n")
        guard language == .cxx else { return [build, flags] }
        return [
            build, flags, PackageFile(path: "exports.map", text: Self.template("exports.map")),
        ]
    }

    /// `Package.swift`.
    ///
    /// - Parameters:
    ///   - greenroom: The relative path from the plugin's folder to Greenroom's package, or an
    ///     absolute path.
    ///   - template: The name of the manifest's template.
    func manifest(greenroom: String, _ template: String) -> String {
        var text = named(Self.template(template))
        if let style { text = text.replacing("ZoomStyle", with: style.module) }
        if greenroom.hasPrefix("/") {
            text = text.replacing(#"\(Context.packageDirectory)/"#, with: "")
        }
        return text.replacing(#""../greenroom""#, with: greenroom.swiftLiteral)
    }

    /// The text of a template, with the lines that it shares with others.
    private static func template(_ name: String) -> String {
        var size = 0
        let bytes = greenroom_template(name, &size)
        return String(decoding: UnsafeBufferPointer(start: bytes, count: size), as: UTF8.self)
            .replacing(#/#include "(csv-.*)"\n/#) { template(String($0.output.1)) }
    }

    /// The template with the plugin's names.
    private func named(_ text: String) -> String {
        // Replace in one pass, because a name may contain another placeholder.
        text.replacing(#/com\.example\.my-plugin|my-plugin|MyPlugin/#) { match in
            switch match.output {
            case "my-plugin": name
            case "MyPlugin": type
            default: id
            }
        }
    }
}

extension String {
    /// The text as a Swift literal.
    fileprivate var swiftLiteral: String {
        let escaped = unicodeScalars.map { scalar in
            switch scalar {
            case "\\", "\"": "\\\(scalar)"
            case _ where scalar.value < 32: "\\u{\(String(scalar.value, radix: 16))}"
            default: "\(scalar)"
            }
        }
        return "\"\(escaped.joined())\""
    }
}
