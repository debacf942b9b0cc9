import Glibc
import GreenroomPlugin
import PluginPortal
import Synchronization

/// Asks the user for access to the cameras, through the desktop's portal, on a separate thread.
final class CameraPortal: Sendable {
    enum Answer: Sendable {
        /// A descriptor that is connected to a PipeWire with the cameras. The caller owns it.
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

    /// Removes and returns the answer; nil while the dialog is open, and after the first call with an answer.
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
