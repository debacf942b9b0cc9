/// A layer of the sandbox.
package enum SandboxLayer: UInt8, Sendable, CaseIterable {
    /// The process ends with its host.
    case diesWithHost
    /// Limits for memory, files, threads, core dumps.
    case limits
    /// No program that it might start gets more rights than it has.
    case noNewPrivileges
    /// It has nothing of what the superuser may do.
    case capabilities
    /// The kernel lets it see the files that are granted, and no others.
    case landlock
    /// The kernel lets it make the system calls that media need, and no others.
    case seccomp

    /// The name for people.
    package var name: String {
        switch self {
        case .diesWithHost: "dies with host"
        case .limits: "limits"
        case .noNewPrivileges: "no new privileges"
        case .capabilities: "capabilities"
        case .landlock: "Landlock"
        case .seccomp: "seccomp"
        }
    }
}

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

/// Why there is no sandbox where one is required.
package struct SandboxError: Error, Sendable, CustomStringConvertible {
    /// What is missing, and what to do.
    package let description: String
    /// What there is.
    package let report: SandboxReport
}
