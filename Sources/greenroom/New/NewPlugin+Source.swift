/// The files that new plugins are made from. They lie in `Templates`: plugins that compile as they
/// are, of the name `my-plugin`, built into this program.
extension NewPlugin {
    /// The one source file.
    var sourceText: String {
        let template =
            switch (language, kind) {
            case (.swift, .camera): PackageResources.Camera_swift
            case (.swift, .microphone), (.swift, .shareAudio): PackageResources.Microphone_swift
            case (.swift, .share): PackageResources.Share_swift
            case (.swift, .preProcessor): PackageResources.PreProcessor_swift
            case (.c, .camera): PackageResources.camera_c
            case (.c, .microphone), (.c, .shareAudio): PackageResources.microphone_c
            case (.c, .share): PackageResources.share_c
            case (.c, .preProcessor): PackageResources.pre_processor_c
            case (.cxx, .camera): PackageResources.camera_cpp
            case (.cxx, .microphone), (.cxx, .shareAudio): PackageResources.microphone_cpp
            case (.cxx, .share): PackageResources.share_cpp
            case (.cxx, .preProcessor): PackageResources.pre_processor_cpp
            }
        var text = String(decoding: template, as: UTF8.self)
        if kind == .shareAudio {
            // The sound of a share is a microphone's of another kind.
            text = text.replacing("MyPlugin: Microphone", with: "MyPlugin: ScreenAudio")
                .replacing("GR_KIND_VIRTUAL_MIC", with: "GR_KIND_SHARE_AUDIO_SOURCE")
                .replacing("greenroom::Microphone", with: "greenroom::ScreenAudio")
        }
        return named(text)
    }

    /// What builds a plugin without a package manager.
    var buildFiles: [PackageFile] {
        let script =
            language == .cxx ? PackageResources.build_cpp_sh : PackageResources.build_sh
        let build = PackageFile(
            path: "build.sh", text: named(String(decoding: script, as: UTF8.self)))
        guard language == .cxx else { return [build] }
        let exports = String(decoding: PackageResources.exports_map, as: UTF8.self)
        return [build, PackageFile(path: "exports.map", text: exports)]
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
