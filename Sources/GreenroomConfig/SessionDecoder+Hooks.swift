import GreenroomSchema
import GreenroomSession

/// The section `on`.
extension SessionDecoder {
    private struct Request: Sendable {
        var url: String?
        var secretFile: String?
    }

    static let hooks = Decoder<[HookTrigger: HookAction]>.section(
        [HookTrigger: HookAction](), name: "on",
        "Programs and requests that the host starts, by the event that starts them.",
        expectation: "a section with keys such as file-finished and ended",
        fields: HookTrigger.allCases.map { trigger in
            Field(
                trigger.rawValue, \.[trigger], hook, trigger.meaning,
                examples: [
                    ["logger", "something happened"],
                    ["post": "https://example.org/hook", "secret-file": "hook.key"],
                ])
        }
    ) { hooks, _ in hooks }

    /// A command, or a request.
    private static let hook: Decoder<HookAction> = {
        let command = Decoder<String>.list(
            of: .text("a text"), "a list with a program and its arguments", count: 1...1000)
        let schema = Schema(
            kind: .anyOf([command.schema, request.schema]),
            expectation:
                "a list with a program and its arguments, or a section with the key \"post\"")
        return Decoder(schema: schema) { node, path, reading in
            switch node.content {
            case .sequence: return command.read(node, path, &reading).map { .command($0) }
            case .mapping, .refused: return request.read(node, path, &reading)
            case .scalar:
                reading.complain(
                    "needs \(schema.expectation), found \(node.inWords).", about: node, path)
                return nil
            }
        }
    }()

    private static let request = Decoder<HookAction>.section(
        Request(), name: "hook-request",
        "A signed HTTPS request that reports the event to a server.",
        expectation: "a section with the keys \"post\" and \"secret-file\"",
        fields: [
            Field(
                "post", \.url, .text("a URL"),
                "The address that gets the event as JSON: https, or http on this machine.",
                examples: ["https://example.org/hook"], isRequired: true),
            Field(
                "secret-file", \.secretFile, .text("the path of a file"),
                "The file with the key that signs the request, whsec_ and Base64, relative to this "
                    + "file's folder; credential:NAME for a systemd credential, environment:NAME for a variable.",
                examples: ["hook.key", "credential:hook"], isRequired: true),
        ]
    ) { request, _ in
        guard let url = request.url, let secretFile = request.secretFile else { return nil }
        return .post(url: url, secretFile: secretFile)
    }
}
