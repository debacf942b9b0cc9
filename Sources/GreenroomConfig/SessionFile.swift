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

    /// Locates the problems of the configuration in the file.
    package func located(_ error: ConfigurationError) -> SessionFileError {
        SessionFileError(error.problems.map(places.diagnostic), in: source)
    }
}
