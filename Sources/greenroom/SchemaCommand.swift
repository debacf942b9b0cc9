import ArgumentParser
import GreenroomConfig
import GreenroomSchema

/// `greenroom schema`.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of session files, for editors.",
        discussion: """
            Save it beside a session file, and start that file with this line:
              # yaml-language-server: $schema=./session.schema.json
            """)

    func run() {
        print(SessionFile.jsonSchema)
    }
}
