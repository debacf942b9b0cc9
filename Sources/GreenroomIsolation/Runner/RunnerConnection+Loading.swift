import GreenroomIPC
import GreenroomPluginInterface

extension RunnerConnection {
    /// Makes sure that both sides have one version of the protocol. [control]
    ///
    /// - Parameters:
    ///   - program: The runner's program or socket, for errors.
    ///   - payload: Goes with the message.
    /// - Returns: The rest of the answer.
    func handshake(
        with program: String, sending payload: WireWriter = WireWriter()
    ) throws(LoadError) -> WireReader {
        var message = WireWriter()
        message.write(GreenroomProtocol.version)
        message.append(payload.bytes)
        guard var answer = call(.confine, message) else { throw lossDuringLoad(of: program) }
        guard let version = try? answer.read(UInt32.self), version == GreenroomProtocol.version
        else {
            throw LoadError(
                code: .noRunner, place: program,
                explanation: "it is of another version than this program. Install both anew.")
        }
        return answer
    }

    /// Has the runner load a library. [control]
    ///
    /// - Returns: What the library says of itself.
    func load(_ path: String) throws(LoadError) -> LibraryDescription {
        var message = WireWriter()
        message.write(path)
        guard let answer = call(.load, message) else { throw lossDuringLoad(of: path) }
        switch Self.read(answer, path) {
        case .success(let library): return library
        case .failure(var error):
            // The runner is not to choose which file the error names.
            error.place = path
            throw error
        case nil: throw invalidAnswer(during: path)
        }
    }

    private static func read(
        _ answer: WireReader, _ path: String
    ) -> Result<LibraryDescription, LoadError>? {
        var answer = answer
        do throws(WireReader.Problem) {
            guard try answer.readBool() else { return .failure(try answer.readLoadError()) }
            return .success(try answer.readLibrary(at: path))
        } catch {
            return nil
        }
    }

    /// The error for a process that is lost before its plugin is made.
    func lossDuringLoad(of path: String) -> LoadError {
        LoadError(code: .crashes, place: path, explanation: evidence ?? "its process has ended")
    }

    /// Gives up a process whose answer can't be read.
    func loseForInvalidAnswer() { lose(because: "its process sent an invalid answer") }

    /// Gives up a process whose answer can't be read before its plugin is made.
    func invalidAnswer(during path: String) -> LoadError {
        loseForInvalidAnswer()
        return lossDuringLoad(of: path)
    }
}
