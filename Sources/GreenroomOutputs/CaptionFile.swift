package import GreenroomModel
import GreenroomFiles
import GreenroomSystem
import GreenroomVideo
import Synchronization

/// `captions.vtt` in a folder of recordings: the file begins with the first caption.
package final class CaptionFile: Sendable {
    static let name = "captions.vtt"

    private struct State: ~Copyable {
        /// nil before the first caption, and after the end.
        var writer: WebVTTWriter?
        var isOpen = false
        var isOver = false
    }

    private let path: String
    private let overwrites: Bool
    private let events: SessionEvents
    private let state = Mutex(State())

    init(in folder: RecordingFolder, events: SessionEvents) throws(OutputError) {
        path = try folder.file(Self.name)
        overwrites = folder.overwrite
        self.events = events
    }

    /// Adds a caption. [any]
    package func add(_ caption: Caption) {
        let failure = state.withLock { state -> FileError? in
            guard !state.isOver else { return nil }
            do throws(FileError) {
                if !state.isOpen {
                    state.writer = try WebVTTWriter(path: path, replaces: overwrites)
                    state.isOpen = true
                }
                try state.writer?.add(
                    caption.text, speaker: caption.speaker, from: caption.startNanoseconds,
                    to: caption.endNanoseconds)
                return nil
            } catch {
                state.isOver = true
                return error
            }
        }
        guard let failure else { return }
        events.sendFailed(output: path, reason: "\(failure)", isRecording: true)
    }

    /// Ends the file.
    package func finish() {
        let isWritten = state.withLock { state -> Bool in
            let isWhole = !state.isOver
            state.isOver = true
            guard let writer = state.writer.take(), isWhole else { return false }
            return (try? writer.close()) != nil
        }
        if isWritten { events.send(.fileFinished(role: "record", file: path)) }
    }
}
