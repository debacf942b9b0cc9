import ArgumentParser
import GreenroomMedia

/// What `greenroom new` is asked for, and the names that follow from it.
struct NewPlugin {
    /// A kind of plugin, by the word that session files have for its place.
    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case camera, microphone, share
        case shareAudio = "share-audio"
        case preProcessor = "pre-processor"

        /// Takes the name that `greenroom plugins` shows, too, with hyphens for its spaces.
        init?(argument: String) {
            let named = Self.allCases.first {
                $0.kind.name.split(separator: " ").joined(separator: "-") == argument
            }
            guard let kind = Self(rawValue: argument) ?? named else { return nil }
            self = kind
        }

        var kind: PluginKind {
            switch self {
            case .camera: .videoSource
            case .microphone: .virtualMic
            case .share: .shareSource
            case .shareAudio: .shareAudioSource
            case .preProcessor: .preProcessor
            }
        }

        /// What people call it, with its article.
        var title: String {
            switch self {
            case .camera: "a camera"
            case .microphone: "a microphone"
            case .share: "a screen share"
            case .shareAudio: "the sound of a share"
            case .preProcessor: "a video filter"
            }
        }

        /// What a Swift type's name ends in. No type that a template uses has an end of these and
        /// something before it, no word of Swift has, and no target of Greenroom's package: whatever
        /// name comes before it, the type's can be had.
        fileprivate var typeSuffix: String {
            switch self {
            case .camera: "Camera"
            case .microphone: "Mic"
            case .share: "Share"
            case .shareAudio: "Audio"
            case .preProcessor: "Filter"
            }
        }
    }

    /// What it is written in.
    enum Language: String, CaseIterable, ExpressibleByArgument {
        case swift, c
        case cxx = "c++"

        /// As people write it.
        var title: String {
            switch self {
            case .swift: "Swift"
            case .c: "C"
            case .cxx: "C++"
            }
        }

        /// The headers of `greenroom` that a plugin's folder gets.
        var headers: [String] {
            switch self {
            case .swift: []
            case .c: ["plugin.h", "send.h", "base.h"]
            case .cxx: ["plugin.h", "send.h", "plugin.hpp"]
            }
        }
    }

    let kind: Kind
    let language: Language
    /// Letters, digits and `-`, a letter first: the plugin's name, and its folder's.
    let name: String

    /// The longest name, so that lines with it stay readable.
    private static let longestName = 40

    /// - Throws: ``Failure`` for a name that a plugin or its folder can't have.
    init(kind: Kind, language: Language, name: String) throws {
        let isLegal = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isLegal, name.first?.isLetter == true else {
            throw Failure(
                .usage,
                "the name \"\(name.printable)\": a plugin's name is of a-z, A-Z, 0-9 and '-', and "
                    + "begins with a letter, such as my-camera")
        }
        guard name.utf8.count <= Self.longestName else {
            throw Failure(
                .usage,
                "the name \"\(name)\" has \(name.utf8.count) characters: choose one of "
                    + "\(Self.longestName) at most")
        }
        self.kind = kind
        self.language = language
        self.name = name
    }

    /// `my-cam` is `com.example.my-cam`.
    var id: String { "com.example.\(name.lowercased())" }

    /// The type; in Swift its module and its library as well: `my-cam` is `MyCamCamera`.
    var type: String {
        let words = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let joined = words.joined()
        let isTaken = joined == kind.typeSuffix || joined == "ScreenAudio"
        let hasSuffix = joined.hasSuffix(kind.typeSuffix) && !isTaken
        return hasSuffix ? joined : joined + kind.typeSuffix
    }

    /// The one setting that templates have.
    var setting: (name: String, usual: Int, another: Int) {
        switch kind {
        case .camera: ("stripes", 8, 20)
        case .microphone, .shareAudio: ("frequency", 440, 1000)
        case .share: ("lines", 30, 12)
        case .preProcessor: ("strength", 80, 100)
        }
    }

    /// The one source file, from the plugin's folder.
    var source: String {
        switch language {
        case .swift: "Sources/\(type).swift"
        case .c: "\(name).c"
        case .cxx: "\(name).cpp"
        }
    }

    /// The command that builds it, in its folder.
    var build: String { language == .swift ? "swift build -c release" : "sh build.sh" }

    /// What the build makes, from the plugin's folder.
    var library: String { language == .swift ? ".build/release/lib\(type).so" : "\(name).so" }
}

extension String {
    /// Without what a terminal would take for commands.
    fileprivate var printable: String {
        String(prefix(80).map { $0.isASCII && ($0 < " " || $0 == "\u{7f}") ? "?" : $0 })
    }

    /// As a shell takes it for one word.
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
