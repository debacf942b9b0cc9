import CPortal
import Glibc
import GreenroomPlugin
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
        let question = Question(try PortalBus(host))
        self.question = question
        do {
            thread = try PluginThread(name: "camera portal") { question.run() }
        } catch {
            throw PluginError("\(error)", status: .unavailable)
        }
    }

    deinit {
        question.bus.interrupt()
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
        let bus: PortalBus
        let answer = Mutex<Answer?>(nil)

        init(_ bus: PortalBus) { self.bus = bus }

        func run() {
            let new = bus.ask()
            answer.withLock { $0 = new }
        }
    }
}

/// A connection to the session bus.
///
/// Sendable without the compiler's proof: one thread asks, and the C interface allows any thread to interrupt.
private final class PortalBus: @unchecked Sendable {
    private let handle: OpaquePointer

    init(_ host: PluginHost) throws(PluginError) {
        let connection: HostConnection
        do throws(SendRefusal) {
            connection = try host.connect(to: .sessionBus)
        } catch {
            throw PluginError(
                "the session bus can't be reached: \(error.text)", status: .unavailable)
        }
        var reason = greenroom_portal_reason()
        guard let handle = greenroom_portal_open(connection.descriptor, &reason) else {
            throw PluginError(Self.text(of: reason), status: .unavailable)
        }
        self.handle = handle
    }

    deinit { greenroom_portal_close(handle) }

    func interrupt() { greenroom_portal_interrupt(handle) }

    func ask() -> CameraPortal.Answer {
        var descriptor: Int32 = -1
        var reason = greenroom_portal_reason()
        switch Int(greenroom_portal_ask_camera(handle, &descriptor, &reason)) {
        case GREENROOM_PORTAL_SHARED: return .granted(descriptor: descriptor)
        case GREENROOM_PORTAL_REFUSED: return .refused
        default:
            return .failed(
                "the desktop's portal for cameras: \(Self.text(of: reason)). Install xdg-desktop-portal "
                    + "and the backend of the desktop")
        }
    }

    private static func text(of reason: greenroom_portal_reason) -> String {
        withUnsafeBytes(of: reason.text) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
