extension PluginPlace {
    /// No place in a session: of what is loaded there no instance is made, and nobody reads what it
    /// prints.
    package static var scan: PluginPlace {
        PluginPlace(
            handle: 0, role: "scan", hasVirtualClock: false, frameLimit: 0, log: { _, _ in },
            lose: { _ in }, agreedRate: { nil }, whereabouts: { nil })
    }
}
