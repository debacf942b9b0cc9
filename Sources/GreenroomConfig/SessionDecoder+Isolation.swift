import GreenroomMedia
import GreenroomModel
import GreenroomSchema
import GreenroomSession

extension SessionDecoder {
    /// The session's keys about isolation.
    static let sessionIsolation: [Field<Session>] = [
        Field(
            "isolation", \.configuration.isolation, isolation,
            "The process of plugins without this key. By default, bundled plugins run in the "
                + "host's process; all others, and Frei0r, Ladspa, Media and WebRoom, run in "
                + "separate processes.",
            examples: ["process"]),
        Field(
            "sandbox", \.configuration.sandbox, sandbox,
            "The sandbox of isolated plugins without this key.",
            examples: ["require"],
            defaultValue: .string(SessionConfiguration.defaultSandbox.rawValue)),
        Field(
            "memory-limit", \.configuration.memoryLimit, memoryLimit,
            "The limit of private memory of isolated plugins without this key. Frames do not "
                + "count.",
            examples: ["128 MB"],
            defaultValue: .string("\(IsolationPlan.defaultMemoryLimit)")),
    ]

    /// A plugin's keys about isolation and grants.
    static let pluginIsolation: [Field<Source>] = [
        Field(
            "isolation", \.configuration.isolation, isolation,
            "The process of the plugin. Default: the session's \"isolation\". If the session has "
                + "none, bundled plugins run in the host's process; all others, and Frei0r, "
                + "Ladspa, Media and WebRoom, run in separate processes.",
            examples: ["process"]),
        Field(
            "sandbox", \.configuration.sandbox, sandbox,
            "The sandbox of the isolated plugin. Default: the session's \"sandbox\".",
            examples: ["require"]),
        Field(
            "memory-limit", \.configuration.memoryLimit, memoryLimit,
            "The limit of private memory of the isolated plugin. Default: the session's "
                + "\"memory-limit\". Frames do not count.",
            examples: ["50 MB", "1.5 GB"]),
        Field(
            "allow", \.configuration.grants, grants,
            "Additional grants of the plugin; all but \"control\" need one in a separate "
                + "process. Paths are relative to this file's folder. Paths in \"settings\" are always "
                + "readable.",
            examples: [["read": ["images"], "network": true]]),
    ]

    private static let isolation = Decoder<Isolation>.choice(
        meant: ["true": .process, "false": .host]
    ) {
        switch $0 {
        case .process: "The plugin runs in a separate process."
        case .host:
            "The plugin runs in the host's process, so a crash of the plugin ends the session."
        }
    }

    private static let sandbox = Decoder<SandboxMode>.choice(
        meant: ["true": .on, "yes": .on, "false": .off, "no": .off]
    ) {
        switch $0 {
        case .on:
            "The sandbox has all layers that the kernel supports. A plugin that is not bundled "
                + "does not start if these layers can't enforce its grants."
        case .partial:
            "The sandbox has all layers that the kernel supports. If a layer is missing, the "
                + "plugin may have the host's rights."
        case .require: "If the kernel lacks a layer, the session does not start."
        case .off: "No sandbox: the plugin has the host's rights."
        }
    }

    private static let memoryLimit = Decoder<MemorySize>.memory(
        .megabytes(Limits.memoryMegabyteBounds.lowerBound)
            ... .megabytes(Limits.memoryMegabyteBounds.upperBound))

    private static let grants = Decoder<Grants>.section(
        Grants(), name: "allow",
        "Additional grants of a plugin.",
        expectation: "a section with keys such as read and network",
        fields: [
            Field(
                "read", \.read,
                .eachOnce(.path("the path of a file or folder"), "a list of paths"),
                "Files and folders that the plugin may read.",
                examples: [["images", "/usr/share/fonts"]]),
            Field(
                "write", \.write,
                .eachOnce(.path("the path of a file or folder"), "a list of paths"),
                "Files and folders that the plugin may write. In these folders, the plugin may "
                    + "also create files.",
                examples: [["snapshots"]]),
            Field(
                "devices", \.devices, .eachOnce(.device, "a list of devices"),
                "Devices below /dev, or folders of them, that the plugin may use.",
                examples: [["/dev/video0", "/dev/snd"]]),
            Field(
                "network", \.network, .boolean, "Whether the plugin may use the network.",
                examples: [true], defaultValue: .boolean(Grants().network)),
            Field(
                "connect", \.connect,
                .eachOnce(.path("the path of a Unix socket"), "a list of paths"),
                "Unix sockets that the host connects for the plugin. The plugin has your rights there.",
                examples: [["/run/printer.sock"]]),
            Field(
                "display", \.display, .boolean,
                "Whether the host connects the plugin to your X server or Wayland compositor. On "
                    + "X11, the plugin can then see every window, read the keyboard and type.",
                examples: [true], defaultValue: .boolean(Grants().display)),
            Field(
                "pipewire", \.pipewire, .boolean,
                "Whether the host connects the plugin to PipeWire. The plugin can then hear every "
                    + "program and every microphone, and use cameras.",
                examples: [true], defaultValue: .boolean(Grants().pipewire)),
            Field(
                "control", \.control, .boolean,
                "Whether the plugin may control the session: send the commands of \"greenroom run "
                    + "--control\", and read the report, live settings and events. This grant "
                    + "also works in the host's process.",
                examples: [true], defaultValue: .boolean(Grants().control)),
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
            // A number without unit probably means megabytes; 256M, 256 mb and 256 MiB are similar
            // enough.
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
