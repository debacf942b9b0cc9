import GreenroomIsolation
import GreenroomPluginInterface
import Synchronization

/// The scans of scripts by one locator. Each script is imported once, although several plugins may be in it.
///
/// The result does not outlive the locator, because a script's modules may change without the script.
final class ScriptScans: Sendable {
    private struct Script: Hashable {
        var path: String
        var interpreter: ScriptInterpreter
    }

    private let scan: PluginLocator.ScriptExamination
    private let results = Mutex<[Script: Result<LibraryDescription, LoadError>]>([:])

    init(scan: @escaping PluginLocator.ScriptExamination) { self.scan = scan }

    /// The description of a script. [any]
    func examine(
        _ path: String, _ interpreter: ScriptInterpreter
    ) throws(LoadError) -> LibraryDescription {
        let script = Script(path: path, interpreter: interpreter)
        if let known = results.withLock({ $0[script] }) { return try known.get() }
        let result = Result { () throws(LoadError) in try scan(path, interpreter) }
        results.withLock { $0[script] = result }
        return try result.get()
    }
}
