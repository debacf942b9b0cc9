import ArgumentParser
import GreenroomConfig
import GreenroomHost
import GreenroomLifecycle
import GreenroomModel
import GreenroomPluginInterface
import GreenroomSchema
import GreenroomSystem

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
        let folder = resolvedPath(".") ?? ""
        let settings = try plugins.flatMap { try Self.settings(of: $0, locator, folder) }
        Console.write(json: SessionFile.jsonSchema(settings: settings))
    }

    /// The settings of the plugins that a session file can mean by a name, or by a file with and without
    /// `#NAME`.
    private static func settings(
        of text: String, _ locator: PluginLocator, _ folder: String
    ) throws -> [(plugins: [String], schema: JSON)] {
        let argument = PluginArgument(text)
        guard let file = argument.file, argument.nameInFile == nil else {
            let found = try locator.find(argument, relativeTo: folder).descriptor
            let names = argument.file == nil ? [found.name, found.id] : [argument.place]
            return [(names, found.settingsSchema)]
        }
        var found: [(plugins: [String], schema: JSON)] = []
        for descriptor in try locator.describe(file, relativeTo: folder).descriptors {
            let (name, schema) = ("\(file)#\(descriptor.name)", descriptor.settingsSchema)
            if let index = found.firstIndex(where: { $0.schema == schema }) {
                if !found[index].plugins.contains(name) { found[index].plugins.append(name) }
            } else {
                found.append(([name], schema))
            }
        }
        if found.count == 1 {
            found[0].plugins.append(file)
        } else {
            found.append(([file], ["anyOf": .array(found.map(\.schema))]))
        }
        return found
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
        let description = title + (unit.map { " (\($0))" } ?? "") + "."
        return .members([
            ("description", .string(description)),
            ("type", jsonType),
            ("enum", choices.isEmpty ? nil : .array(choices.map { .string($0) })),
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
        case .path: "string"
        // The host reads other values as text, and a list as a text with one line per entry.
        case .string: ["string", "number", "boolean", "array"]
        case .choice: nil
        }
    }
}
