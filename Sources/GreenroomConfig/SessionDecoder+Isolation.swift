import GreenroomModel
import GreenroomSchema
import GreenroomSession

extension SessionDecoder {
    /// The keys of the session that say where plugins run.
    static let sessionIsolation: [Field<Session>] = [
        Field(
            "isolation", \.configuration.isolation, isolation,
            "Where plugins run that do not say it themselves. Without it bundled plugins run in "
                + "the host's process, and all others in processes of their own.",
            examples: ["process"]),
        Field(
            "sandbox", \.configuration.sandbox, sandbox,
            "How plugins in processes of their own are confined that do not say it themselves.",
            examples: ["require"], defaultValue: .string(SandboxMode.on.rawValue)),
        Field(
            "memory-limit", \.configuration.memoryLimit, memoryLimit,
            "How much private memory plugins in processes of their own may have, each, that do not "
                + "say it themselves. Frames do not count.",
            examples: ["128 MB"],
            defaultValue: .string("\(SessionConfiguration.defaultMemoryLimit)")),
    ]

    /// The keys of a plugin that say where it runs, and what it may do there.
    static let pluginIsolation: [Field<Source>] = [
        Field(
            "isolation", \.configuration.isolation, isolation,
            "Where the plugin runs. Without it the session's \"isolation\" holds, and without that "
                + "bundled plugins run in the host's process, and all others in processes of "
                + "their own.",
            examples: ["process"]),
        Field(
            "sandbox", \.configuration.sandbox, sandbox,
            "How the plugin's own process is confined; the session's \"sandbox\" if there is none.",
            examples: ["require"]),
        Field(
            "memory-limit", \.configuration.memoryLimit, memoryLimit,
            "How much private memory the plugin's own process may have; the session's "
                + "\"memory-limit\" if there is none. Frames do not count.",
            examples: ["50 MB", "1.5 GB"]),
        Field(
            "allow", \.configuration.grants, grants,
            "What the plugin's own process may do besides what every one may. Paths start from "
                + "this file's folder; what \"settings\" name it may read in any case.",
            examples: [["read": ["pictures"], "network": true]]),
    ]

    private static let isolation = Decoder<Isolation>.choice(
        meant: ["true": .process, "false": .host]
    ) {
        switch $0 {
        case .process: "In a process of its own."
        case .host: "In the host's process: its faults are the session's."
        }
    }

    private static let sandbox = Decoder<SandboxMode>.choice(
        meant: ["true": .on, "yes": .on, "false": .off, "no": .off]
    ) {
        switch $0 {
        case .on: "By every layer that the kernel has."
        case .require: "By every layer; without one of them the session does not begin."
        case .off: "Not at all: it may do what the host may."
        }
    }

    private static let memoryLimit = Decoder<MemorySize>.memory(
        .megabytes(16) ... .megabytes(64_000))

    private static let grants = Decoder<Grants>.section(
        Grants(), name: "allow",
        "What a plugin in a process of its own may do besides what every one may.",
        expectation: "a section with keys such as read and network",
        fields: [
            Field(
                "read", \.read,
                .eachOnce(.path("the path of a file or folder"), "a list of paths"),
                "Files, and folders with all in them, that it may read.",
                examples: [["pictures", "/usr/share/fonts"]]),
            Field(
                "write", \.write,
                .eachOnce(.path("the path of a file or folder"), "a list of paths"),
                "Files that it may write, and folders that it may write and make files in.",
                examples: [["snapshots"]]),
            Field(
                "devices", \.devices, .eachOnce(.device, "a list of devices"),
                "Devices below /dev, or folders of them, that it may use.",
                examples: [["/dev/video0", "/dev/snd"]]),
            Field(
                "network", \.network, .boolean, "Whether it may use the network.",
                examples: [true], defaultValue: false),
        ]
    ) { grants, _ in grants }
}

extension Decoder<MemorySize> {
    /// `256 MB`, `1.5 GB`, within bounds.
    fileprivate static func memory(_ bounds: ClosedRange<MemorySize>) -> Decoder {
        @Sendable func read(_ text: String) -> MemorySize? {
            MemorySize(text).flatMap { bounds.contains($0) ? $0 : nil }
        }
        return pattern(
            MemorySize.pattern,
            "an amount of memory such as 256 MB or 1.5 GB, from \(bounds.lowerBound) to "
                + "\(bounds.upperBound)",
            // A number alone is meant in megabytes; 256M, 256 mb and 256 MiB are near enough.
            cure: { text in
                guard let parts = text.wholeMatch(of: /([0-9.]+) *(?:([mMgG])[iI]?[bB]?)?/)?.output
                else { return nil }
                let amount = "\(parts.1) \((parts.2 ?? "M").uppercased())B"
                return read(amount) == nil ? nil : amount
            }, make: read)
    }
}

extension Decoder<String> {
    /// The path of a device or of a folder of them.
    fileprivate static let device = pattern(
        #"/dev(/(?!\.\.?(/|$))[^/]+)+"#, "the path of a device below /dev, such as /dev/video0",
        cure: { $0.wholeMatch(of: /[A-Za-z0-9]{1,40}/) == nil ? nil : "/dev/\($0)" },
        make: { $0 })
}

extension Decoder<[String]> {
    /// A list with at least one entry, and each once.
    fileprivate static func eachOnce(_ item: Decoder<String>, _ expectation: String) -> Decoder {
        let list = Decoder<[Located<String>]>.list(of: item.located(), expectation, count: 1...64)
        return Decoder(schema: list.schema) { node, path, reading in
            guard let entries = list.read(node, path, &reading) else { return nil }
            var seen: Set<String> = []
            for entry in entries where !seen.insert(entry.value).inserted {
                reading.diagnostics.append(
                    Diagnostic("duplicate entry. Keep one.", at: entry.place))
            }
            return entries.map(\.value)
        }
    }
}
