import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomRuntime

/// Steps of a plugin with the `control` grant, and the plugin's calls of the host.
extension PluginLife {
    /// Begins to pass events.
    func beginEvents(_ events: [String]) -> PluginInstance.PendingStep {
        begin(.event) { [self] backend in
            for event in events {
                // Each call has the full time of a callback.
                setCallbackTime(runs: true)
                let isDone: Void? = betweenMedia { backend.perform(.event(event)) }
                guard isDone != nil else { return .illegal(lifecycle) }
            }
            return .done
        }
    }

    // MARK: The plugin's calls

    /// Queues a command.
    ///
    /// - Parameter text: The command; nil for bytes that are not a text of a legal length.
    /// - Returns: The command's number.
    func command(_ text: String?) throws(Refusal) -> UInt32 {
        let control = try control(for: .command)
        let status = state.withLock { $0.senderStatus }
        guard status == .ok else { throw Refusal(status: status, in: .command) }
        return try control.command(text, role: environment.role)
    }

    /// The session's description as JSON.
    func describeSession() throws(Refusal) -> String { try control(for: .describe).describe() }

    /// Returns the session's report as JSON.
    func reportSession() throws(Refusal) -> String { try control(for: .sessionReport).report() }

    private func control(for call: HostFunction) throws(Refusal) -> ControlGrant {
        guard let control = environment.control, control.mayCommand else {
            throw Refusal(.gone, in: call)
        }
        return control
    }
}
