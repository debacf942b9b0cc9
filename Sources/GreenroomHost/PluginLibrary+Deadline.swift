import GreenroomLifecycle
import GreenroomMedia
package import GreenroomPluginInterface
import GreenroomRuntime
import Synchronization

extension PluginLibrary {
    /// Loads a library and checks its description.
    ///
    /// The library's own code runs on a thread that is abandoned if it hangs.
    ///
    /// - Parameters:
    ///   - path: The file, absolute or relative to the working directory.
    ///   - limit: The time limit, in nanoseconds.
    /// - Throws: ``LoadError`` with file, rule and fix.
    package init(
        loading path: String, within limit: Int64 = Limits.loadingNanoseconds
    ) throws(LoadError) {
        let loaded = Monitor<Result<PluginLibrary, LoadError>?>(nil)
        let wait = Mutex<(thread: Int32, before: Int64)?>(nil)
        let deadline = LoadDeadline(limit, from: MonotonicClock.now)
        let thread = HostThread(name: "loading") {
            wait.withLock { $0 = ProcessorWait.ofThisThread }
            let result = Result { () throws(LoadError) in try PluginLibrary(onThisThread: path) }
            loaded.change { $0 = result }
        }
        if let problem = thread.problem {
            throw LoadError(code: .noRunner, place: path, explanation: "\(problem).")
        }
        let result = deadline.wait(for: loaded) {
            wait.withLock { $0 }.map {
                ProcessorWait.nanoseconds(ofThread: $0.thread) - $0.before
            } ?? LoadDeadline.mostDelay
        }
        guard let result else {
            throw LoadError(
                code: .hangs, place: path,
                explanation: "the entry has not returned after \(Limits.seconds(limit)). "
                    + "The entry function must return at once: start threads in create.")
        }
        self = try result.get()
    }
}
