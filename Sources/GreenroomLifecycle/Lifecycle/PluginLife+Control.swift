import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomRuntime

/// The calls of a plugin that may control its session, and its calls of the host.
extension PluginLife {
    /// Begins to pass events.
    func beginEvents(_ events: [String]) -> PluginInstance.PendingStep {
        begin(.event) { [self] backend in
            for event in events {
                // Each call has the whole time of a callback.
                setCallbackTime(runs: true)
                let isDone: Void? = betweenMedia { backend.event(event) }
                guard isDone != nil else { return .illegal(lifecycle) }
            }
            return .done
        }
    }

    // MARK: The plugin's calls

    /// Queues a command.
    ///
    /// - Parameter text: Nil for one that is no text of a legal length.
    /// - Returns: Its number.
    func command(_ text: String?) throws(Refusal) -> UInt32 {
        let control = try control(for: .command)
        let status = state.withLock { $0.senderStatus }
        guard status == .ok else { throw Refusal(status: status, in: .command) }
        return try control.command(text, role: environment.role)
    }

    /// The session's description as JSON.
    func describeSession() throws(Refusal) -> String { try control(for: .describe).describe() }

    /// The session's report, as JSON.
    func reportSession() throws(Refusal) -> String { try control(for: .sessionReport).report() }

    private func control(for call: SenderCall) throws(Refusal) -> ControlGrant {
        guard let control = environment.control else { throw Refusal(.gone, in: call) }
        return control
    }
}
