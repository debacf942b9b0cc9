import Glibc
import GreenroomPlugin
import PluginPortal
import Synchronization

/// The question to the user for the cameras, through the desktop's portal, on a thread of its own.
final class CameraPortal: Sendable {
    enum Answer: Sendable {
        /// Connected to a PipeWire that has the cameras; it belongs to the reader of the answer.
        case granted(descriptor: Int32)
        case refused
        case failed(String)
    }

    private let question: Question
    private let thread: PluginThread

    /// Asks.
    init(_ host: PluginHost) throws(PluginError) {
        let question = Question(try Portal(host))
        self.question = question
        do {
            thread = try PluginThread(name: "camera portal") { question.run() }
        } catch {
            throw PluginError("\(error)", status: .unavailable)
        }
    }

    deinit {
        question.portal.interrupt()
        thread.join()
        if case .granted(let descriptor) = takeAnswer() { close(descriptor) }
    }

    /// Takes the answer; nil while the dialog is open, and after it was taken.
    func takeAnswer() -> Answer? {
        question.answer.withLock { answer in
            defer { answer = nil }
            return answer
        }
    }

    private final class Question: Sendable {
        let portal: Portal
        let answer = Mutex<Answer?>(nil)

        init(_ portal: Portal) { self.portal = portal }

        func run() {
            let new = ask()
            answer.withLock { $0 = new }
        }

        private func ask() -> Answer {
            do throws(PluginError) {
                return try portal.askForCameras().map { .granted(descriptor: $0) } ?? .refused
            } catch {
                return .failed(error.text)
            }
        }
    }
}
