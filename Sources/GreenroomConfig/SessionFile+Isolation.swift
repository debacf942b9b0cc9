public import GreenroomModel
public import GreenroomSchema

extension SessionFile {
    /// Where a plugin runs.
    public enum Isolation: String, CaseIterable, Sendable {
        /// In a process of its own.
        case process
        /// In the host's process.
        case host
    }

    /// What is said of where plugins run; nil where nothing is said.
    public struct Confinement: Hashable, Sendable {
        /// In which process.
        public var isolation: Located<Isolation>?
        /// How a process of its own is confined.
        public var sandbox: Located<SandboxMode>?
        /// How much private memory a process of its own may have.
        public var memoryLimit: Located<MemorySize>?
    }

    /// What a plugin in a process of its own may do besides what all may. Paths are absolute, and
    /// each list has a path once.
    public struct Grants: Hashable, Sendable {
        /// Files and folders that it may read.
        public var read: [String] = []
        /// Files and folders that it may write, and make files in.
        public var write: [String] = []
        /// Devices below `/dev` that it may use, or folders of them.
        public var devices: [String] = []
        /// Whether it may use the network.
        public var network = false

        /// Grants nothing.
        public init() {}
    }

    /// The memory limit of a file that gives none.
    public static let defaultMemoryLimit = MemorySize.megabytes(256)
    /// The memory limits that a file may give.
    static let memoryLimits = MemorySize.megabytes(16)...MemorySize.megabytes(64_000)
}

// MARK: - What holds for a plugin

extension SessionFile {
    /// Where a plugin runs.
    ///
    /// - Parameter isBundled: Whether it comes with the host.
    public func isolation(of plugin: Plugin, isBundled: Bool) -> Isolation {
        statedIsolation(of: plugin)?.value ?? (isBundled ? .host : .process)
    }

    /// How a plugin is confined if it has a process of its own.
    public func sandbox(of plugin: Plugin) -> SandboxMode {
        (plugin.confinement.sandbox ?? confinement.sandbox)?.value ?? .on
    }

    /// How much private memory a plugin may have if it has a process of its own.
    public func memoryLimit(of plugin: Plugin) -> MemorySize {
        (plugin.confinement.memoryLimit ?? confinement.memoryLimit)?.value
            ?? Self.defaultMemoryLimit
    }

    /// What the session does when a plugin fails.
    ///
    /// - Parameter isBundled: Whether it comes with the host.
    public func failurePolicy(of plugin: Plugin, isBundled: Bool) -> FailurePolicy {
        if let said = plugin.onFailure { return said.value }
        return switch isolation(of: plugin, isBundled: isBundled) {
        case .process: .restart
        case .host: .end
        }
    }

    /// Keys of a plugin that do not go with where it runs, as far as that depends on whether it
    /// is bundled. What the file says of it was looked at when the file was read.
    public func conflicts(of plugin: Plugin, isBundled: Bool) -> [Diagnostic] {
        guard isBundled, statedIsolation(of: plugin) == nil else { return [] }
        return plugin.processKeys(
            because: "a bundled plugin runs in the host's process unless it says otherwise")
    }

    /// What the file says of where a plugin runs.
    private func statedIsolation(of plugin: Plugin) -> Located<Isolation>? {
        plugin.confinement.isolation ?? confinement.isolation
    }

    /// Every plugin, filters after their source.
    private var plugins: [Plugin] { slots.flatMap(\.plugins).map(\.plugin) }
}

// MARK: - What does not go together

extension SessionFile {
    /// Keys of plugins that need a process of their own, where the file says the host's.
    var isolationConflicts: [Diagnostic] {
        plugins.flatMap { plugin -> [Diagnostic] in
            guard let stated = statedIsolation(of: plugin), stated.value == .host else { return [] }
            return plugin.processKeys(because: "\(stated.place.path) is host")
        }
    }

    /// What is said of processes and sandboxes that no plugin has.
    var vainConfinement: [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        let everywhere = plugins.allSatisfy { statedIsolation(of: $0)?.value == .host }
        if everywhere, confinement.isolation?.value == .host {
            diagnostics += [confinement.sandbox?.place, confinement.memoryLimit?.place]
                .compactMap { $0 }
                .map {
                    Diagnostic(
                        "every plugin runs in the host's process, so it holds for none.", at: $0)
                }
        }
        for plugin in plugins where sandbox(of: plugin) == .off {
            guard let grants = plugin.grants else { continue }
            diagnostics.append(
                Diagnostic(
                    "without a sandbox the plugin may do what the host may, so it grants nothing.",
                    at: grants.place))
        }
        return diagnostics
    }
}

extension SessionFile.Plugin {
    /// A fault for each key that only a process of its own makes sense of.
    ///
    /// - Parameter reason: Why the plugin has none.
    fileprivate func processKeys(because reason: String) -> [Diagnostic] {
        let places = [confinement.sandbox?.place, confinement.memoryLimit?.place, grants?.place]
        var diagnostics = places.compactMap { $0 }.map {
            Diagnostic(
                "applies only to a plugin in its own process, and \(reason). Write isolation: "
                    + "process for the plugin, or remove this.", at: $0)
        }
        if let onFailure, onFailure.value == .restart {
            diagnostics.append(
                Diagnostic(
                    "only a plugin in its own process can be restarted, and \(reason). "
                        + "Write isolation: process for the plugin, or on-failure: off.",
                    at: onFailure.place))
        }
        return diagnostics
    }
}
