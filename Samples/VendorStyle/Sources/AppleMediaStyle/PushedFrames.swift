/// The target of frames that an app pushes to an object without a sender, such as an engine: the library's
/// camera while it sends, else to its broadcast.
package enum PushedFrames {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var camera: SendGate<VideoSender>?

    /// Has pushed frames become a camera's; nil ends that.
    package static func setCamera(_ gate: SendGate<VideoSender>?) {
        lock.withLock { camera = gate }
    }

    /// Sends a frame, from any thread.
    ///
    /// - Parameters:
    ///   - ptsNanoseconds: On the session's clock; nil for the time of arrival.
    ///   - name: The participant that a broadcast joins as, if it has not joined; nil to refuse the frame
    ///     then.
    /// - Returns: Why the host refused; nil if it took the frame.
    package static func send(
        _ buffer: CVPixelBuffer, rotation: Rotation, ptsNanoseconds: Int64?, joiningAs name: String?
    ) -> Status? {
        if let camera = lock.withLock({ camera }) {
            return camera.send { sender throws(SendRefusal) in
                try sender.send(buffer, rotation: rotation, ptsNanoseconds: ptsNanoseconds)
            }
        }
        guard let session = BroadcastSession.current else { return .notStarted }
        if let name {
            do {
                try session.join(name)
            } catch {
                VendorHost.log(.error, "\(error)")
                return error.status
            }
        }
        return session.send(buffer, rotation: rotation, ptsNanoseconds: ptsNanoseconds)
    }
}
