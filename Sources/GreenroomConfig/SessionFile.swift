import GreenroomModel
public import GreenroomSchema
public import GreenroomSession

/// A session file, checked as far as possible without its plugins.
public struct SessionFile: Sendable {
    /// Its configuration.
    public var configuration: SessionConfiguration
    /// Warnings about legal but unlikely values.
    public var warnings: [Diagnostic] = []
    /// Its text, to quote in diagnostics.
    public let source: SourceText
    /// The locations of its values.
    package let places: SourcePlaces
    /// Its values, before they became a configuration.
    let draft: SessionDecoder.Draft

    /// Locates the problems of the configuration in the file.
    package func located(_ error: ConfigurationError) -> SessionFileError {
        SessionFileError(places.diagnostics(error.problems), in: source)
    }

    /// The keys whose values differ from those of an earlier file, such as `session.maximum`. Plugins
    /// and outputs are left out: some of their settings change while a session runs.
    package func changedKeys(since earlier: SessionFile) -> [String] {
        let inside =
            SessionRole.allCases.flatMap { [$0.facts.key, $0.facts.pluralKey] }
            + SessionDecoder.comparedByItems
        return SessionDecoder.sessionFields.compactMap { field in
            let isSame = field.isSame?(earlier.draft.session, draft.session) ?? false
            return isSame ? nil : "\(SessionDecoder.sessionKey).\(field.schema.key)"
        }
            + SessionDecoder.rootFields.compactMap { field in
                guard !inside.contains(field.schema.key) else { return nil }
                return field.isSame?(earlier.draft, draft) ?? false ? nil : field.schema.key
            }
    }
}
