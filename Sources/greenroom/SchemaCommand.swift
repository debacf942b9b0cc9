import ArgumentParser
import GreenroomConfig
import GreenroomSchema

/// `greenroom schema`.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of the session file, for editors.",
        discussion: """
            Save it beside a session file, and begin the file with
              # yaml-language-server: $schema=./session.schema.json
            """)

    func run() {
        print(SessionFile.jsonSchema)
    }
}
