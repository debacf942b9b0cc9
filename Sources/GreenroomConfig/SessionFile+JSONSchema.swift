package import GreenroomSchema

extension SessionFile {
    /// The JSON Schema (draft 2020-12) of session files; deterministic.
    ///
    /// It covers everything except dependencies between keys, such as an output of video that the
    /// session does not have.
    public static var jsonSchema: String { jsonSchema(settings: []) }

    /// The JSON Schema of session files, with the settings of plugins.
    package static func jsonSchema(settings: [Schema.PluginSettings]) -> String {
        SessionDecoder.root.schema.document(title: "Greenroom session file", settings: settings)
            .text
    }
}
