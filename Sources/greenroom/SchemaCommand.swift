import GreenroomModel
import ArgumentParser
import GreenroomConfig
import GreenroomSchema
import GreenroomLifecycle

/// `greenroom schema`.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of session files, for editors, or of events.",
        discussion: """
            Save it beside a session file, and start that file with this line:
              # yaml-language-server: $schema=./session.schema.json
            """)

    @Flag(help: "Print the schema of the events of greenroom run --json.")
    var events = false

    func run() {
        Console.write(json: events ? EventRecord.jsonSchema : SessionFile.jsonSchema)
    }
}
