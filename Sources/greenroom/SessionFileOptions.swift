import ArgumentParser
import GreenroomConfig
import GreenroomSchema

/// A session file, and overrides.
struct SessionFileOptions: ParsableArguments {
    @Argument(help: "The session file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(help: "The duration, instead of the file's: 10s, 500ms, 2m.")
    var duration: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Set a value instead of the file's; may be repeated.",
            valueName: "path=value"))
    var assignments: [String] = []

    /// Reads the file.
    ///
    /// - Parameter more: Overrides from other arguments.
    /// - Throws: ``SessionFileError`` or ``UnreadableFileError``.
    func read(overriding more: [Override] = []) throws -> SessionFile {
        try SessionFile.load(file, overrides: overrides + more)
    }

    /// Reads the file, even one with errors. Its plan reports them, together with the plugins' errors.
    ///
    /// - Throws: ``SessionFileError`` or ``UnreadableFileError``.
    func readWithFaults() throws -> SessionFile {
        try SessionFile.loadWithFaults(file, overrides: overrides)
    }

    private var overrides: [Override] {
        assignments.map(Override.set) + (duration.map { [Override.duration($0)] } ?? [])
    }
}
