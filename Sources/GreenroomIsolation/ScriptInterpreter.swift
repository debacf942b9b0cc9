import Glibc
import GreenroomIPC
package import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomSystem
import SystemPackage

/// The interpreter of a script, and what the script's process may read.
package struct ScriptInterpreter: Hashable, Sendable {
    /// The absolute path that starts the interpreter; a virtual environment's is a link.
    package var program: String
    /// Files and folders that the interpreter and the script read.
    package var readPaths: [String]
    /// The client library of this host.
    private var library: String?

    /// The oldest minor version of Python 3 that the package supports.
    private static let oldestMinor = 11

    /// Whether a file is a script.
    package static func runs(_ path: String) -> Bool { path.hasSuffix(".py") }

    /// Finds the interpreter of a script: the named one; otherwise the interpreter of the nearest virtual
    /// environment (`.venv` or `venv` in the script's folder or above); otherwise the interpreter of the wheel
    /// that this host was installed with; otherwise `python3` on the `PATH`.
    ///
    /// - Parameters:
    ///   - script: The script's absolute path.
    ///   - named: The absolute path of an interpreter or a virtual environment; nil to search.
    ///   - programs: The folder of the host's programs.
    /// - Throws: ``LoadError`` with the path, the rule and the fix.
    package init(of script: String, named: String?, programs: String) throws(LoadError) {
        let script = resolvedPath(script) ?? script
        let folder = parentFolder(of: script)
        if let named {
            let inside = "\(named)/bin/python3"
            program = access(inside, X_OK) == 0 ? inside : named
            guard access(program, X_OK) == 0 else {
                throw LoadError(
                    code: .noInterpreter, place: script,
                    explanation: "no interpreter at \(named): \(Errno.last). Name a Python, or the "
                        + "folder of a virtual environment, with \"python\".")
            }
        } else if let found = Self.virtualEnvironment(above: folder) {
            program = "\(found)/bin/python3"
        } else if let found = Self.ofWheel(programs) ?? Self.onPath() {
            program = found
        } else {
            throw LoadError(
                code: .noInterpreter, place: script,
                explanation:
                    "no python3 is on the PATH. Install Python 3.\(Self.oldestMinor) or newer, "
                    + "or name an interpreter with \"python\".")
        }
        readPaths = try Self.paths(of: program, script)
        readPaths += Self.isWide(folder) ? [script] : [folder]
        let places = [programs, programs + "/../lib", programs + "/../lib/greenroom"]
        library = places.lazy.compactMap { resolvedPath("\($0)/libgreenroom-client.so") }.first
        if let library { readPaths += LibraryFiles.of(library) }
        if let path = environmentVariable("PYTHONPATH") {
            readPaths += path.split(separator: ":").map(String.init).filter {
                $0.hasPrefix("/") && !Self.isWide($0)
            }
        }
    }

    /// The command that serves the host.
    package var command: [String] {
        // The options leave the working directory out of the modules' path, and write no files beside modules.
        [program, "-P", "-B", "-u", "-X", "faulthandler", "-m", "greenroom.runner"]
    }

    package var environment: [String] {
        let names = ["PYTHONPATH", "PYTHONHASHSEED", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]
        return (library.map { ["GREENROOM_CLIENT=\($0)"] } ?? [])
            + names.compactMap { name in environmentVariable(name).map { "\(name)=\($0)" } }
    }

    // MARK: Search

    private static func virtualEnvironment(above folder: String) -> String? {
        var folder = folder
        while true {
            for name in [".venv", "venv"] {
                let found = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
                if access("\(found)/bin/python3", X_OK) == 0,
                    access("\(found)/pyvenv.cfg", R_OK) == 0
                {
                    return found
                }
            }
            guard folder != "/" else { return nil }
            folder = parentFolder(of: folder)
        }
    }

    /// The environment whose package `greenroom` has the host's programs in it, such as a virtual environment;
    /// nil for another installation.
    package static func wheelPrefix(of programs: String) -> String? {
        guard programs.hasSuffix("/site-packages/greenroom/_host/bin") else { return nil }
        // From bin, _host, greenroom, site-packages, python3.N and lib to the environment.
        return (1...6).reduce(programs) { folder, _ in parentFolder(of: folder) }
    }

    private static func ofWheel(_ programs: String) -> String? {
        guard let program = wheelPrefix(of: programs).map({ "\($0)/bin/python3" }),
            access(program, X_OK) == 0
        else { return nil }
        return program
    }

    /// The first `python3` on the `PATH` that is a program. A version manager's script is left out: the
    /// sandbox runs no shell.
    private static func onPath() -> String? {
        (environmentVariable("PATH") ?? "").split(separator: ":").lazy.map { "\($0)/python3" }.first
        {
            isProgram($0)
        }
    }

    private static func isProgram(_ path: String) -> Bool {
        guard access(path, X_OK) == 0,
            let file = try? FileDescriptor.contents(of: path, limit: 4)
        else { return false }
        return file.prefix(4) == [0x7f, 0x45, 0x4c, 0x46]
    }

    // MARK: Files that the interpreter reads

    /// Files of the system that Python's own modules read.
    private static let configuration = ["/etc/locale.alias", "/etc/ssl/openssl.cnf"]

    /// The program, its libraries, and the virtual environment that it is in.
    ///
    /// The environment's file may be as untrusted as the script. So only a folder with Python's own library
    /// is granted.
    private static func paths(of program: String, _ script: String) throws(LoadError) -> [String] {
        guard let target = resolvedPath(program), isProgram(target) else {
            throw LoadError(
                code: .noInterpreter, place: script,
                explanation: "\(program) is not a program. Name a Python with \"python\".")
        }
        let prefix = parentFolder(of: parentFolder(of: target))
        let libraries = (try? FileDescriptor.names(in: "\(prefix)/lib")) ?? []
        let versions = libraries.filter {
            $0.hasPrefix("python3.") && access("\(prefix)/lib/\($0)/os.py", R_OK) == 0
        }
        let name = String(target.split(separator: "/").last ?? "")
        let minors = versions.compactMap { Int($0.dropFirst("python3.".count)) }
        let minor =
            minors.first { name == "python3.\($0)" } ?? (minors.count == 1 ? minors[0] : nil)
        if let minor, minor < oldestMinor {
            throw LoadError(
                code: .noInterpreter, place: script,
                explanation:
                    "\(program) is Python 3.\(minor), and Greenroom needs 3.\(oldestMinor) or "
                    + "newer. Name another one with \"python\".")
        }
        guard !versions.isEmpty else {
            throw LoadError(
                code: .noInterpreter, place: script,
                explanation:
                    "\(program) has no library of Python in \(prefix)/lib. Name a Python with "
                    + "\"python\".")
        }
        var paths =
            [target, "\(prefix)/lib"]
            + (versions.map { "/etc/\($0)" } + configuration).filter { access($0, R_OK) == 0 }
        // A program that is a link: the environment around the link.
        let environment = parentFolder(of: parentFolder(of: program))
        if access("\(environment)/pyvenv.cfg", R_OK) == 0, let found = resolvedPath(environment),
            !isWide(found)
        {
            paths.append(found)
        }
        return paths
    }

    /// Whether a folder contains far more than a script needs, such as the user's home.
    private static func isWide(_ folder: String) -> Bool {
        let home = environmentVariable("HOME") ?? "/root"
        return folder == "/" || folder == "/tmp" || folder == home || home.hasPrefix(folder + "/")
    }
}

/// Loading a script in its process.
enum ScriptLoad {
    /// Time limit of the imports, in nanoseconds.
    static let timeout: Int64 = 60_000_000_000

    /// Loads a script.
    ///
    /// - Parameter lines: The last lines of the process's output.
    static func run(
        _ path: String, in connection: RunnerConnection, lines: @autoclosure () -> [String]
    ) throws(LoadError) -> LibraryDescription {
        let answer = Monitor<Result<LibraryDescription, LoadError>?>(nil)
        _ = HostThread(name: "import") {
            let result = Result { () throws(LoadError) in try connection.load(path) }
            answer.change { $0 = result }
        }
        let result: Result<LibraryDescription, LoadError>? = answer.wait(
            until: MonotonicClock.deadline(after: timeout)
        ) { $0 }
        guard let result else {
            connection.kill()
            throw LoadError(
                code: .hangs, place: path,
                explanation:
                    "its imports have not ended within \(timeout / 1_000_000_000) s. Do long "
                    + "work in start().")
        }
        do throws(LoadError) {
            return try result.get()
        } catch {
            var error = error
            if lines().contains(where: {
                $0.contains("No module named 'greenroom'")
                    || $0.contains("No module named greenroom")
            }) {
                error = LoadError(
                    code: .noInterpreter, place: path,
                    explanation: "its interpreter has no package greenroom. Install it there with "
                        + "pip install greenroom-*.whl, or name another one with \"python\".")
            }
            throw error
        }
    }
}
