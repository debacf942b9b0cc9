import GreenroomIPC
import GreenroomPluginInterface

extension RunnerConnection {
    /// Checks that both sides have the same protocol version. [control]
    ///
    /// - Parameters:
    ///   - program: The runner's program or socket, for errors.
    ///   - payload: The values to send with the message.
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
                explanation: "version mismatch. If Greenroom was upgraded while this session ran, "
                    + "restart the session; else reinstall Greenroom.")
        }
        return answer
    }

    /// Loads a library in the runner. [control]
    ///
    /// - Returns: The library's description.
    func load(_ path: String) throws(LoadError) -> LibraryDescription {
        var message = WireWriter()
        message.write(path)
        guard let answer = call(.load, message) else { throw lossDuringLoad(of: path) }
        switch Self.read(answer, path) {
        case .success(let library): return library
        case .failure(var error):
            // The runner must not choose the file that the error names.
            error.place = path
            throw error
        case nil: throw invalidAnswer(during: path)
        }
    }

    private static func read(
        _ answer: WireReader, _ path: String
    ) -> Result<LibraryDescription, LoadError>? {
        var answer = answer
        do throws(WireError) {
            guard try answer.readBool() else { return .failure(try answer.readLoadError()) }
            return .success(try answer.readLibrary(at: path))
        } catch {
            return nil
        }
    }

    /// The error if the process is lost before `create`.
    func lossDuringLoad(of path: String) -> LoadError {
        LoadError(code: .crashes, place: path, explanation: evidence ?? "the process ended")
    }

    /// Kills a process that sent an invalid answer.
    func loseForInvalidAnswer() { lose(because: "the process sent an invalid answer") }

    /// Kills a process that sent an invalid answer before `create`.
    func invalidAnswer(during path: String) -> LoadError {
        loseForInvalidAnswer()
        return lossDuringLoad(of: path)
    }
}
