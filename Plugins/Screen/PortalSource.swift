import Glibc
import PluginPipeWire
import GreenroomPlugin
import PluginPortal
import GreenroomSystem
import GreenroomX11
import Synchronization
import SystemPackage

/// Captures what the user chooses in the desktop's dialog, as Wayland requires it.
final class PortalSource: FrameSource {
    private(set) var image = CapturedImage(capacity: 0)
    private(set) var format = PixelFormat.bgrx
    private let request: PortalRequest
    private let thread: PluginThread

    /// Asks the user, or restores an earlier choice.
    ///
    /// - Parameter tokenFile: The file that keeps the choice; empty for none.
    init(showsCursor: Bool, tokenFile: String, host: PluginHost) throws {
        let request = PortalRequest(host, showsCursor: showsCursor, tokenFile: tokenFile)
        self.request = request
        thread = try PluginThread(name: "portal") { request.run() }
    }

    deinit { request.interrupt() }

    var interrupt: @Sendable () -> Void { { [request] in request.interrupt() } }

    func update() throws(PluginError) -> FrameUpdate {
        switch request.phase {
        case .asking: return .missing(.unanswered)
        case .failed(let reason): throw PluginError(reason, status: .unavailable)
        case .ended(let reason): return .ended(reason)
        case .sharing(let portal, let screen):
            if portal.hasEnded { return .ended("the desktop ended the share") }
            if let loss = screen.loss {
                throw PluginError("PipeWire: \(loss)", status: .unavailable)
            }
            return read(screen)
        }
    }

    private func read(_ screen: PipeWireScreen) -> FrameUpdate {
        var read = screen.read(into: image.whole)
        let needed = read.size.area * CapturedImage.bytesOfPixel
        guard read.isNew, read.size.isLegal else {
            return image.size.isLegal ? .unchanged : .missing(.unanswered)
        }
        if needed > image.capacity {
            image = CapturedImage(capacity: needed)
            read = screen.read(into: image.whole)
            // The screen has grown again: the next period reads the image.
            guard read.size.area * CapturedImage.bytesOfPixel <= image.capacity else {
                return .unchanged
            }
        }
        image.resize(to: read.size)
        format = read.format
        return .changed
    }
}

/// Asks the user which screen to share, on a separate thread, and keeps the answer.
private final class PortalRequest: Sendable {
    enum Phase: Sendable {
        case asking
        case sharing(Portal, PipeWireScreen)
        case failed(String)
        case ended(String)
    }

    private struct State: Sendable {
        var phase = Phase.asking
        /// The portal that is asked.
        var portal: Portal?
        var isInterrupted = false
    }

    private let state = Mutex(State())
    private let host: PluginHost
    private let showsCursor: Bool
    private let tokenFile: String

    init(_ host: PluginHost, showsCursor: Bool, tokenFile: String) {
        self.host = host
        self.showsCursor = showsCursor
        self.tokenFile = tokenFile
    }

    var phase: Phase { state.withLock { $0.phase } }

    func interrupt() {
        state.withLock { state in
            state.isInterrupted = true
            state.portal?.interrupt()
        }
    }

    func run() {
        let phase: Phase
        do throws(PluginError) {
            phase = try ask()
        } catch {
            phase = .failed(error.text)
        }
        state.withLock { state in
            state.phase = phase
            state.portal = nil
        }
    }

    private func ask() throws(PluginError) -> Phase {
        let portal = try Portal(host)
        let isInterrupted = state.withLock { state in
            state.portal = portal
            return state.isInterrupted
        }
        guard !isInterrupted else { return .ended("the share ended") }
        guard
            let stream = try portal.askForScreen(showsCursor: showsCursor, token: readToken())
        else { return .ended("the user denied the share in the desktop's dialog") }
        let screen = try PipeWireScreen(descriptor: stream.descriptor, node: stream.node)
        keep(stream.token)
        return .sharing(portal, screen)
    }

    // MARK: The token

    private func readToken() -> String {
        guard !tokenFile.isEmpty, let bytes = try? FileDescriptor.contents(of: tokenFile),
            bytes.count < 256
        else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 && $0 != 10 }, as: UTF8.self)
    }

    private func keep(_ token: String) {
        guard !tokenFile.isEmpty, !token.isEmpty else { return }
        let file = open(tokenFile, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        let bytes = Array(token.utf8)
        let isWritten = file >= 0 && write(file, bytes, bytes.count) == bytes.count
        if file >= 0 { close(file) }
        if !isWritten {
            host.log(
                .warning,
                "\(tokenFile): cannot write the token, so the desktop asks again next time. Check "
                    + "the path and its permissions")
        }
    }
}
