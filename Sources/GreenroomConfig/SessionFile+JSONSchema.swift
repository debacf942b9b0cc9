import GreenroomSchema

extension SessionFile {
    /// The JSON Schema (draft 2020-12) of session files, the same text each time.
    ///
    /// It knows everything but what only the whole file shows, such as a picture that an output
    /// wants and the session does not have.
    public static var jsonSchema: String {
        SessionDecoder.root.schema.document(title: "Greenroom session file").text
    }
}
