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
    /// The file's errors; its plan adds the plugins' errors. A public function never returns a file with errors.
    package var faults: [Diagnostic] = []

    /// Locates the problems of the configuration in the file.
    package func located(_ error: ConfigurationError) -> SessionFileError {
        SessionFileError(places.diagnostics(error.problems), in: source)
    }

    /// The errors of a file that has some, together with its plugins' problems: plugins that are not found,
    /// and their settings. Other problems of an incomplete configuration may be consequences of its errors.
    ///
    /// - Parameter problems: The problems of the configuration.
    package func faults(and problems: [ConfigurationProblem]) -> SessionFileError {
        let more = places.diagnostics(problems.filter(\.path.isOfPlugin)).filter { problem in
            !faults.contains { fault in
                fault.place.path.isInside(problem.place.path)
                    || problem.place.path.isInside(fault.place.path)
            }
        }
        return SessionFileError(faults + more, in: source)
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

extension String {
    /// Whether a path leads to a plugin's name or settings.
    fileprivate var isOfPlugin: Bool { hasSuffix(".plugin") || contains(".settings") }

    /// Whether a path is another one, or one of a value in it.
    fileprivate func isInside(_ path: String) -> Bool {
        self == path || hasPrefix("\(path).") || hasPrefix("\(path)[")
    }
}
