import GreenroomModel
import GreenroomOutputs
import Synchronization

/// Converts the times of captions to times of the session, and gives the captions to recordings.
final class SessionCaptions: Sendable {
    private struct State {
        /// The session's start on its clock; nil before it.
        var epoch: Int64?
        var files: [CaptionFile] = []
    }

    private let state = Mutex(State())

    /// Begins to record captions.
    ///
    /// - Parameter epoch: The session's start, in nanoseconds on its clock.
    func begin(at epoch: Int64, in files: [CaptionFile]) {
        state.withLock { $0 = State(epoch: epoch, files: files) }
    }

    /// Ends the files.
    func finish() {
        let files = state.withLock { state in
            defer { state.files = [] }
            return state.files
        }
        for file in files { file.finish() }
    }

    /// Takes an event of a plugin. [any]
    ///
    /// - Returns: The event with the times of the session; nil for a caption from before its start.
    func take(_ event: SessionEvent) -> SessionEvent? {
        guard case .caption(let role, var caption) = event else { return event }
        let (epoch, files) = state.withLock { ($0.epoch, $0.files) }
        guard let epoch, caption.endNanoseconds >= epoch else { return nil }
        caption.startNanoseconds = max(0, caption.startNanoseconds - epoch)
        caption.endNanoseconds -= epoch
        for file in files { file.add(caption) }
        return .caption(role: role, caption)
    }
}
