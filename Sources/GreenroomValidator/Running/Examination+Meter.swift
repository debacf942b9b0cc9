import Glibc
import GreenroomIsolation

extension Examination {
    /// An examination whose processes count allocations and locks on their media threads.
    ///
    /// - Throws: A verdict if the meter library is not beside the runner.
    func metered() throws(Verdict) -> Examination {
        let runner = confinement.program
        let folder = runner[..<(runner.lastIndex(of: "/") ?? runner.startIndex)]
        let library = "\(folder)/libgreenroom-meter.so"
        guard access(library, R_OK) == 0 else {
            throw .skipped(
                "nothing could be counted: libgreenroom-meter.so is missing beside greenroom-runner"
            )
        }
        var confinement = confinement
        confinement.preload = library
        return Examination(
            library: self.library, descriptor: descriptor, settings: settings,
            confinement: confinement, seed: seed, isStill: isStill, request: request,
            progress: progress)
    }
}
