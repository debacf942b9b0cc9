import Glibc
import GreenroomSchema
import GreenroomSystem

/// The voices of espeak-ng that `Speech` can use, for `greenroom devices`.
struct VoiceDevices: DeviceList {
    /// A voice of a file.
    struct Voice: Equatable {
        /// The name for users, such as `English (America)`.
        var name: String
        /// The name in session files, such as `en-us`.
        var language: String

        /// Reads a voice's file.
        ///
        /// - Returns: The voice; nil if the file is not a voice's.
        init?(file text: String) {
            func value(_ key: String) -> Substring? {
                text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("\(key) ") }?
                    .dropFirst(key.count + 1)
            }
            guard let name = value("name"),
                let language = value("language")?.split(separator: " ").first
            else { return nil }
            (self.name, self.language) = (String(name), String(language))
        }

        var line: String {
            "microphone: { plugin: Speech, settings: { voice: \(JSON.string(language).text) } }"
        }
    }

    /// The folders of Debian's package espeak-ng-data, by architecture.
    private static let folders = [
        "/usr/lib/x86_64-linux-gnu/espeak-ng-data/lang",
        "/usr/lib/aarch64-linux-gnu/espeak-ng-data/lang", "/usr/share/espeak-ng-data/lang",
    ]
    /// Limit of a voice's file, in bytes.
    private static let lengthLimit = 1 << 14

    private let voices: [Voice]

    init() {
        voices = Self.folders.flatMap { Self.voices(in: $0, depth: 0) }
            .sorted { ($0.language, $0.name) < ($1.language, $1.name) }
    }

    private static func voices(in folder: String, depth: Int) -> [Voice] {
        guard depth < 4, let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var voices: [Voice] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard !name.hasPrefix(".") else { continue }
            let path = "\(folder)/\(name)"
            if entry.pointee.d_type == UInt8(DT_DIR) {
                voices += Self.voices(in: path, depth: depth + 1)
            } else if let text = text(of: path), let voice = Voice(file: text) {
                voices.append(voice)
            }
        }
        return voices
    }

    private static func text(of path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: lengthLimit)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    var lines: [String] {
        if voices.isEmpty { return ["no voices. To install them: apt install espeak-ng-data"] }
        return voices.flatMap { ["voice \($0.language): \($0.name)", "  \($0.line)"] }
    }

    var members: [(String, JSON)] {
        [
            (
                "voices",
                .array(
                    voices.map {
                        [
                            "name": .string($0.name), "language": .string($0.language),
                            "line": .string($0.line),
                        ]
                    })
            )
        ]
    }
}
