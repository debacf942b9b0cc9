import ArgumentParser
import GreenroomMedia
import GreenroomSchema

/// The arguments of `greenroom new`, and the derived names.
struct NewPlugin {
    /// The language.
    enum Language: String, CaseIterable, ExpressibleByArgument {
        case swift, c, python
        case cxx = "c++"

        /// The language's usual spelling.
        var title: String {
            switch self {
            case .swift: "Swift"
            case .c: "C"
            case .cxx: "C++"
            case .python: "Python"
            }
        }

    }

    /// A vendor whose interface a camera in Swift can use: see `Samples/VendorStyle`.
    enum Style: String, CaseIterable, ExpressibleByArgument {
        case zoom, azure, agora

        /// The module with the vendor's names. The camera template's name has the same beginning.
        var module: String { "\(rawValue.prefix(1).uppercased() + rawValue.dropFirst())Style" }

        /// The template of a camera.
        var source: String { module.replacing("Style", with: "Camera.swift") }

        /// The vendor's interface.
        var title: String {
            switch self {
            case .zoom: "the Zoom Video SDK"
            case .azure: "Azure Communication Services"
            case .agora: "Agora's engine"
            }
        }
    }

    let template: PluginTemplate
    let language: Language
    /// The name of the plugin and of its folder: letters, digits and `-`, beginning with a letter.
    let name: String
    /// The vendor whose names the source uses; nil if the SDK's.
    let style: Style?

    /// The longest name, so that lines with it stay readable.
    private static let longestName = 40

    /// - Throws: ``ExitError`` if a plugin or its folder cannot have the name.
    init(
        _ template: PluginTemplate, language: Language, name: String, style: Style? = nil
    ) throws {
        let isLegal = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isLegal, name.first?.isLetter == true else {
            throw ExitError(
                .usage,
                "the name \"\(String(name.prefix(80)).printable)\": a plugin's name is of a-z, A-Z, 0-9 and '-', and "
                    + "begins with a letter, such as my-camera")
        }
        guard name.utf8.count <= Self.longestName else {
            throw ExitError(
                .usage,
                "the name \"\(name)\" has \(name.utf8.count) characters: choose one of "
                    + "\(Self.longestName) at most")
        }
        self.template = template
        guard template.sources[language] != nil else {
            let known = Language.allCases.filter { template.sources[$0] != nil }
            throw ExitError(
                .usage,
                "--language \(language.rawValue): the template of \(template.title) is not in "
                    + "\(language.title). Write --language \(known.map(\.rawValue).joined(separator: " or "))"
            )
        }
        self.language = language
        guard style == nil || template.kind == .videoSource && language == .swift else {
            throw ExitError(
                .usage,
                "--style: a vendor's names are for a camera in Swift: greenroom new camera \(name) "
                    + "--style \(style?.rawValue ?? "")")
        }
        self.name = name
        self.style = style
    }

    /// The folder of a copied SDK, in the plugin's folder.
    static let sdk = "Greenroom"

    /// The headers of Greenroom that the plugin's folder receives.
    var headers: [String] {
        switch language {
        case .swift, .python: []
        case .c:
            ["plugin.h", "send.h", "base.h"] + (template.kind.takesMedia ? ["output.h"] : [])
                + (template.kind.isCall ? ["call.h"] : [])
        case .cxx: ["plugin.h", "send.h", "output.h", "call.h", "plugin.hpp"]
        }
    }

    /// The plugin's id. For `my-cam` it is `com.example.my-cam`.
    var id: String { "com.example.\(name.lowercased())" }

    /// The name of the type and, in Swift, of the module and the library. For `my-cam` it is
    /// `MyCamCamera`.
    var type: String {
        let words = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let joined = words.joined()
        let isTaken = joined == template.typeSuffix || joined == "ScreenAudio"
        let hasSuffix = joined.hasSuffix(template.typeSuffix) && !isTaken
        let type = hasSuffix ? joined : joined + template.typeSuffix
        // The vendor's layer already has a type such as ZoomCamera.
        return style?.source == "\(type).swift" ? type + "App" : type
    }

    /// The path of the source file, relative to the plugin's folder.
    var source: String {
        switch language {
        case .swift: "Sources/\(type).swift"
        case .c: "\(name).c"
        case .cxx: "\(name).cpp"
        case .python: "\(name).py"
        }
    }

    /// The command that builds the plugin in its folder.
    var build: String {
        switch language {
        case .swift: "swift build -c release"
        case .c, .cxx: "sh build.sh"
        case .python: "python3 -m pytest"
        }
    }

    /// The path of the built library in the plugin's folder.
    var library: String {
        switch language {
        case .swift: ".build/release/lib\(type).so"
        case .c, .cxx: "\(name).so"
        case .python: source
        }
    }
}

extension String {
    /// The text quoted as one word of a shell.
    var quotedForShell: String {
        let isPlain =
            !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_./+:@%,=".utf8.contains(byte)
                }
            }
        guard !isPlain else { return self }
        let parts = split(separator: "'", omittingEmptySubsequences: false)
        return "'\(parts.joined(separator: #"'\''"#))'"
    }
}
