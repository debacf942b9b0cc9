/// What of the sandbox there is, layer by layer.
package struct SandboxReport: Sendable, Equatable {
    /// Whether a layer is there.
    package enum State: UInt8, Sendable {
        /// It is there; in a report of what is possible: it can be.
        case on
        /// It is not wanted.
        case off
        /// The kernel lacks it, or refused it.
        case unavailable
    }

    /// A layer.
    package struct Entry: Sendable, Equatable {
        /// Which it is.
        package var layer: SandboxLayer
        /// Whether it is there.
        package var state: State
        /// What it does here, or why it is not there; a few words.
        package var text: String

        /// Makes an entry.
        package init(layer: SandboxLayer, state: State, text: String) {
            self.layer = layer
            self.state = state
            self.text = text
        }
    }

    /// The layers, in the order in which they are applied.
    package var entries: [Entry]
    /// What the session file grants and can't be granted: a line for each.
    package var notes: [String]

    /// Makes a report.
    package init(entries: [Entry], notes: [String] = []) {
        self.entries = entries
        self.notes = notes
    }

    /// Whether a layer is there.
    package func has(_ layer: SandboxLayer) -> Bool {
        entries.contains { $0.layer == layer && $0.state == .on }
    }

    /// Which layers the kernel lacks, with the reasons; nil if none.
    package var shortfall: String? {
        let missing = entries.filter { $0.state == .unavailable }
        guard !missing.isEmpty else { return nil }
        return missing.map { "\($0.layer.name) (\($0.text))" }.joined(separator: ", ")
    }
}
