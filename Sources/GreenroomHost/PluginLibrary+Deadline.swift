import GreenroomMedia
package import GreenroomPluginInterface
import GreenroomRuntime

extension PluginLibrary {
    /// Time limit for loading a library and reading its descriptors, in nanoseconds.
    private static let deadline = Limits.loadingNanoseconds

    /// Loads a library and checks its description.
    ///
    /// The library's own code runs on a thread that is abandoned if it hangs.
    ///
    /// - Parameter path: The file, absolute or relative to the working directory.
    /// - Throws: ``LoadError`` with file, rule and fix.
    package init(loading path: String) throws(LoadError) {
        let loaded = Monitor<Result<PluginLibrary, LoadError>?>(nil)
        let thread = HostThread(name: "loading") {
            let result = Result { () throws(LoadError) in try PluginLibrary(onThisThread: path) }
            loaded.change { $0 = result }
        }
        if let problem = thread.problem {
            throw LoadError(code: .noRunner, place: path, explanation: "\(problem).")
        }
        let deadline = MonotonicClock.deadline(after: Self.deadline)
        let result: Result<PluginLibrary, LoadError>? = loaded.wait(until: deadline) { $0 }
        guard let result else {
            throw LoadError(
                code: .hangs, place: path,
                explanation: "the entry has not returned after \(Self.deadline / 1_000_000_000) s. "
                    + "The entry function must return at once: start threads in create.")
        }
        self = try result.get()
    }

}
