import ArgumentParser
import GreenroomConfig

struct SessionFileOptions: ParsableArguments {
    @Argument(help: "The session file.")
    var file: String

    func read() throws -> SessionFile { throw Failure(.badFile, "\(file): not readable yet") }
}
