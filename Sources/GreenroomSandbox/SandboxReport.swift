/// Which layers of the sandbox are on.
package struct SandboxReport: Sendable, Equatable {
    /// The state of a layer.
    package enum State: UInt8, Sendable {
        /// On; in ``Sandbox/available``: supported.
        case on
        /// Not wanted.
        case off
        /// The kernel lacks or refused it.
        case unavailable
    }

    /// A layer.
    package struct Entry: Sendable, Equatable {
        package var layer: SandboxLayer
        package var state: State
        /// What it does here, or why it is off; a few words.
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
    /// Grants of the session file that failed: a line each.
    package var notes: [String]

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
    package var shortfall: String? {
        let missing = entries.filter { $0.state == .unavailable }
        guard !missing.isEmpty else { return nil }
        return missing.map { "\($0.layer.name) (\($0.text))" }.joined(separator: ", ")
    }
}
