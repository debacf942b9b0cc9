/// The files that new plugins are made from. They lie in `Templates`: plugins that compile as they
/// are, of the name `my-plugin`, built into this program.
extension NewPlugin {
    /// The one source file.
    var sourceText: String {
        var text = String(decoding: template.sources[language]?.text ?? [], as: UTF8.self)
        for (old, new) in template.replacements { text = text.replacing(old, with: new) }
        return named(text)
    }

    /// What builds a plugin without a package manager.
    var buildFiles: [PackageFile] {
        let script =
            language == .cxx ? PackageResources.build_cpp_sh : PackageResources.build_sh
        let build = PackageFile(
            path: "build.sh", text: named(String(decoding: script, as: UTF8.self)))
        // With it, clangd shows an editor what the compiler finds.
        let standard = language == .cxx ? "c++17" : "c99"
        let flags = PackageFile(
            path: "compile_flags.txt", text: "-std=\(standard)\n-Wall\n-Wextra\n-Wpedantic\n-I.\n")
        guard language == .cxx else { return [build, flags] }
        let exports = String(decoding: PackageResources.exports_map, as: UTF8.self)
        return [build, flags, PackageFile(path: "exports.map", text: exports)]
    }

    /// `Package.swift`.
    ///
    /// - Parameter greenroom: The way from the plugin's folder to Greenroom's package, or an
    ///   absolute path.
    func manifest(greenroom: String) -> String {
        var text = named(String(decoding: PackageResources.Package_swift, as: UTF8.self))
        if greenroom.hasPrefix("/") {
            text = text.replacing(#"\(Context.packageDirectory)/"#, with: "")
        }
        return text.replacing(#""../greenroom""#, with: greenroom.swiftLiteral)
    }

    /// A template with the plugin's own names.
    private func named(_ text: String) -> String {
        // In one pass: a name may have another placeholder in it.
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
    /// As a literal of Swift.
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
