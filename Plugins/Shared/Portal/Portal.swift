import CPortal
import GreenroomMedia
package import GreenroomPlugin

/// The desktop's portal, which asks the user for a screen or for the cameras.
///
/// Sendable without the compiler's proof: one thread at a time calls it, but for ``interrupt()``, which the C
/// interface allows any.
package final class Portal: @unchecked Sendable {
    /// A screen that the user shares.
    package struct Stream: Sendable {
        /// Connected to a PipeWire that has the stream; it belongs to the reader.
        package var descriptor: Int32
        /// The stream's node.
        package var node: UInt32
        /// Restores the choice without a question.
        package var token: String
    }

    private let handle: OpaquePointer

    /// Connects to the session bus.
    package init(_ host: PluginHost) throws(PluginError) {
        let connection: HostConnection
        do throws(SendRefusal) {
            connection = try host.connect(to: .sessionBus)
        } catch {
            throw PluginError(
                "cannot reach the session bus: \(error.text)", status: .unavailable)
        }
        var reason = greenroom_portal_reason()
        guard let handle = greenroom_portal_open(connection.descriptor, &reason) else {
            throw PluginError(reason.string, status: .unavailable)
        }
        self.handle = handle
    }

    deinit { greenroom_portal_close(handle) }

    /// Makes a running question fail. [any]
    package func interrupt() { greenroom_portal_interrupt(handle) }

    /// Whether the user or the desktop has ended the share.
    package var hasEnded: Bool { greenroom_portal_has_ended(handle) != 0 }

    /// Asks for a monitor or a window, and waits for the user.
    ///
    /// - Parameter token: The token of an earlier answer; empty for none.
    /// - Returns: nil if the user refuses.
    package func askForScreen(showsCursor: Bool, token: String) throws(PluginError) -> Stream? {
        var stream = greenroom_portal_stream()
        var reason = greenroom_portal_reason()
        let result = greenroom_portal_ask(handle, showsCursor ? 1 : 0, token, &stream, &reason)
        guard try isShared(result, reason, asking: "screens") else { return nil }
        return Stream(
            descriptor: stream.descriptor, node: stream.node,
            token: withUnsafeBytes(of: stream.token) { String(upToZero: $0) })
    }

    /// Asks for the cameras, and waits for the user.
    ///
    /// - Returns: A descriptor that is connected to a PipeWire with the cameras, and belongs to the caller; nil
    ///   if the user refuses.
    package func askForCameras() throws(PluginError) -> Int32? {
        var descriptor: Int32 = -1
        var reason = greenroom_portal_reason()
        let result = greenroom_portal_ask_camera(handle, &descriptor, &reason)
        return try isShared(result, reason, asking: "cameras") ? descriptor : nil
    }

    private func isShared(
        _ result: Int32, _ reason: greenroom_portal_reason, asking things: String
    ) throws(PluginError) -> Bool {
        switch Int(result) {
        case GREENROOM_PORTAL_SHARED: return true
        case GREENROOM_PORTAL_REFUSED: return false
        default:
            throw PluginError(
                "the desktop's portal for \(things): \(reason.string). Install xdg-desktop-portal and "
                    + "the backend of the desktop", status: .unavailable)
        }
    }
}

extension greenroom_portal_reason {
    fileprivate var string: String { withUnsafeBytes(of: text) { String(upToZero: $0) } }
}
