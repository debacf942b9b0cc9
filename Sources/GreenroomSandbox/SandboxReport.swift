/// The state of the sandbox's layers.
package struct SandboxReport: Sendable, Equatable {
    /// The state of a layer.
    package enum State: UInt8, Sendable {
        /// The layer is on; in ``Sandbox/available``: supported.
        case on
        /// The policy disables the layer.
        case off
        /// The kernel lacks or refused the layer.
        case unavailable
    }

    /// A layer.
    package struct Entry: Sendable, Equatable {
        package var layer: SandboxLayer
        package var state: State
        /// The effect on this machine, or the reason that the layer is off, in a few words.
        package var text: String

        /// Makes an entry.
        package init(layer: SandboxLayer, state: State, text: String) {
            self.layer = layer
            self.state = state
            self.text = text
        }
    }

    /// The layers, in the order of applying them.
    package var entries: [Entry]
    /// The session file's grants that failed, one line each.
    package var notes: [String]
    /// Whether the host opens files for the plugin, because the kernel has no Landlock.
    package var hasFileBroker = false

    /// Makes a report.
    package init(entries: [Entry], notes: [String] = []) {
        self.entries = entries
        self.notes = notes
    }

    /// Whether a layer is on.
    package func has(_ layer: SandboxLayer) -> Bool {
        entries.contains { $0.layer == layer && $0.state == .on }
    }

    /// The layers that the kernel lacks, with reasons; nil if none.
    package var shortfall: String? { list { _ in true } }

    /// The missing layers that enforce the plugin's grants, with reasons; nil if none. Without them
    /// the plugin can read and change this user's files, use the network or reach other processes.
    package var gap: String? {
        list { layer in
            switch layer {
            case .noNewPrivileges, .capabilities, .seccomp: true
            case .landlock: !hasFileBroker
            case .diesWithHost, .limits: false
            }
        }
    }

    /// Missing layers with reasons; nil if none.
    private func list(_ isMeant: (SandboxLayer) -> Bool) -> String? {
        let missing = entries.filter { $0.state == .unavailable && isMeant($0.layer) }
        guard !missing.isEmpty else { return nil }
        return missing.map { "\($0.layer.name) (\($0.text))" }.joined(separator: ", ")
    }
}
