public import GreenroomSchema
public import GreenroomSession

/// What a session file says, read and checked as far as that is possible without its plugins.
public struct SessionFile: Sendable {
    /// What it says.
    public var configuration: SessionConfiguration
    /// What is legal and can't be meant.
    public var warnings: [Diagnostic] = []
    /// The text that it was read from, to show places in.
    public let source: SourceText
    /// Where in it what stands.
    package let places: SourcePlaces

    /// What is wrong with the configuration, at its places in the file.
    package func located(_ error: ConfigurationError) -> SessionFileError {
        SessionFileError(error.problems.map(places.diagnostic), in: source)
    }
}
