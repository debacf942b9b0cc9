import GreenroomSchema

extension SessionFile {
    /// The JSON Schema (draft 2020-12) of session files; deterministic.
    ///
    /// It covers everything except dependencies between keys, such as an output of video that the
    /// session does not have.
    public static var jsonSchema: String {
        SessionDecoder.root.schema.document(title: "Greenroom session file").text
    }
}
