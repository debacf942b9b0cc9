import GreenroomHost
import GreenroomIsolation
import GreenroomLoading
import GreenroomMedia

extension Examination {
    /// Those that may change while the plugin lives; a verdict if there are none.
    func liveParameters() throws(Verdict) -> [Parameter] {
        let live = descriptor.parameters.filter(\.isLive)
        guard !live.isEmpty else { throw .skipped("it has no live parameters") }
        return live
    }
}

extension Bench {
    /// Creates, initializes with small pictures, and starts.
    func startSmall() throws(Verdict) {
        try create()
        try initialize(rehearsal.smallOffer())
        try startSend()
    }

    /// What a step means that should have been done after a value was set.
    ///
    /// - Parameter cause: The value, in words.
    func require(_ step: String, _ end: Rehearsal.StepEnd, after cause: String) throws(Verdict) {
        switch end {
        case .done, .pumps: return
        case .lost:
            throw .crashed("with \(cause), in \(step): \(crash().text)", process.lines)
        case .hangs:
            throw .failed("with \(cause), \(step) has not returned after 2 s: it has to")
        case .refused(let status, let text):
            throw .failed("with \(cause), \(step) answers \(status): \(text)")
        case .illegal(let state):
            throw .failed("with \(cause), \(step) is not possible: it is \(state.rawValue)")
        }
    }

    /// The rest of a life that was started.
    func end(after cause: String) throws(Verdict) {
        try require("stop-send", rehearsal.stopSend(), after: cause)
        try require("uninitialize", rehearsal.uninitialize(), after: cause)
        try require("destroy", rehearsal.destroy(), after: cause)
    }
}
