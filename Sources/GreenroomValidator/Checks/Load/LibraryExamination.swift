import Glibc
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomSystem
import SystemPackage

/// The input of a check of a library: the file, and the result of loading it.
struct LibraryExamination: Sendable {
    let path: String
    let confinement: Confinement
    /// The file's content.
    let file: Result<ELFFile, ELFError>

    init(path: String, confinement: Confinement) {
        self.path = path
        self.confinement = confinement
        file = ELFFile.read(path)
    }

    /// The file's content. Throws a verdict if the file cannot be read.
    func readFile() throws(Verdict) -> ELFFile {
        do throws(ELFError) {
            return try file.get()
        } catch {
            throw .hindered(by: "load.loads", "cannot parse its file")
        }
    }

    /// Loads the library in a separate process.
    func load() throws(LoadError) -> LibraryDescription {
        try PluginScanner(program: confinement.program).examine(path)
    }
}

extension ELFFile {
    /// Limit of a file's size, in bytes.
    private static let byteLimit = 1 << 30

    /// Reads a file.
    static func read(_ path: String) -> Result<ELFFile, ELFError> {
        Result { () throws(ELFError) in try ELFFile(try bytes(of: path)) }
    }

    private static func bytes(of path: String) throws(ELFError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(Errno) {
            let file = try FileDescriptor.reading(path, options: .nonBlocking)
            defer { try? file.close() }
            let status = try file.stat()
            let isReadable = status.type == .regular && status.size <= byteLimit
            bytes = isReadable ? try file.readToEnd(limit: byteLimit) : nil
        } catch {
            throw ELFError("\(error)", code: .notALibrary)
        }
        guard let bytes else {
            throw ELFError("not a regular file, or too large", code: .notALibrary)
        }
        return bytes
    }
}

extension Result where Success == ELFFile, Failure == ELFError {
    /// Whether the file is a shared library, possibly broken or for another machine.
    var isLibrary: Bool {
        if case .failure(let problem) = self { problem.code != .notALibrary } else { true }
    }
}

extension LoadError {
    /// The check that names the fault.
    ///
    /// - Parameter file: The content of the library's file.
    func check(_ file: Result<ELFFile, ELFError>) -> String {
        switch code {
        case .missingLibrary: "load.dependencies"
        case .unresolvedSymbol: "load.symbols"
        case .wrongMajor, .badEntry: "load.entry"
        case .badDescriptor, .unknownKind: "load.descriptors"
        case .notAPlugin where (try? file.get())?.memoryFault != nil: "load.memory"
        default: "load.loads"
        }
    }
}

extension Verdict {
    /// The verdict on a plugin whose library cannot be loaded.
    static func hindered(
        by error: LoadError, _ file: Result<ELFFile, ELFError>
    ) -> Verdict {
        var verdict = hindered(by: error.check(file), "does not load")
        verdict.details = ["\(error)"]
        return verdict
    }
}
