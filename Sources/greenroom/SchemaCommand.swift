import ArgumentParser
import GreenroomConfig
import GreenroomHost
import GreenroomLifecycle
import GreenroomModel
import GreenroomPluginInterface
import GreenroomSchema

/// `greenroom schema`.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of session files, for editors, or of events.",
        discussion: """
            Save it beside a session file, and start that file with this line:
              # yaml-language-server: $schema=./session.schema.json
            The schema describes the settings of the plugins that you name:
              greenroom schema ColorBars ./bot.py > session.schema.json
            """)

    @Flag(help: "Print the schema of the events of greenroom run --json.")
    var events = false

    @Argument(
        help: "Plugins whose settings the schema describes, as the session file names them.")
    var plugins: [String] = []

    func validate() throws {
        guard !events || plugins.isEmpty else {
            throw ValidationError("--events describes no plugins; remove \(plugins[0]).")
        }
    }

    func run() throws {
        guard !events else { return Console.write(json: EventRecord.jsonSchema) }
        let locator = Installation.ofThisProgram.locator()
        locator.printWarnings()
        let settings = try plugins.flatMap { try Self.settings(of: PluginArgument($0), locator) }
        Console.write(json: SessionFile.jsonSchema(settings: settings))
    }

    /// The settings of the plugins that an argument names, for the section of each plugin's kind. A file without
    /// `#NAME` names its only plugin of a kind.
    private static func settings(
        of argument: PluginArgument, _ locator: PluginLocator
    ) throws -> [Schema.PluginSettings] {
        let found = try locator.find(all: argument, relativeTo: workingFolder).descriptors
        return found.map { descriptor in
            var names = [argument.place]
            if argument.file == nil {
                names = [descriptor.name, descriptor.id]
            } else if argument.nameInFile == nil {
                let isOnly = found.count { $0.kind == descriptor.kind } == 1
                names = ["\(argument.place)#\(descriptor.name)"] + (isOnly ? names : [])
            }
            return Schema.PluginSettings(
                section: descriptor.kind.facts.word, plugins: names,
                settings: descriptor.settingsSchema,
                areRequired: descriptor.parameters.contains { $0.defaultValue == nil })
        }
    }
}

extension PluginDescriptor {
    /// The JSON Schema of the key `settings` with this plugin.
    fileprivate var settingsSchema: JSON {
        let required = parameters.filter { $0.defaultValue == nil }.map { JSON.string($0.name) }
        return .members([
            ("type", required.isEmpty ? ["object", "null"] : "object"),
            ("properties", .members(parameters.map { ($0.name, $0.schema) })),
            ("required", required.isEmpty ? nil : .array(required)),
            ("additionalProperties", false),
        ])
    }
}

extension Parameter {
    /// The JSON Schema of a value.
    fileprivate var schema: JSON {
        let end = title.hasSuffix(".") ? "" : "."
        let description = unit.map { "\(title) (\($0))." } ?? title + end
        return .members([
            ("description", .string(description)),
            ("type", jsonType),
            ("enum", choices.isEmpty ? nil : .array(choices.flatMap(Self.written))),
            ("minimum", bounds.map { .number($0.lowerBound) }),
            ("maximum", bounds.map { .number($0.upperBound) }),
            ("default", defaultValue.map { JSON($0) }),
        ])
    }

    private var jsonType: JSON? {
        switch type {
        case .boolean: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .path: ["string", "array"]
        // The host reads other values as text, and a list as a text with one line per entry.
        case .string: ["string", "number", "boolean", "array"]
        case .choice: nil
        }
    }

    /// The values that YAML may read for a choice: 720 without quotes is a number, and true a Boolean.
    private static func written(_ choice: String) -> [JSON] {
        let number = Int64(choice).flatMap { "\($0)" == choice ? JSON.integer($0) : nil }
        return [.string(choice), number, Bool(choice).map { .boolean($0) }].compactMap { $0 }
    }
}
