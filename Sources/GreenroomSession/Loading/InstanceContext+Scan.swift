extension InstanceContext {
    /// No place in a session: of what is loaded there no instance is made.
    ///
    /// - Parameter log: Takes what is written meanwhile.
    package static func scan(
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) -> InstanceContext {
        InstanceContext(
            handle: 0, role: "scan", hasVirtualClock: false, frameLimit: 0, lentBytes: { 0 },
            log: log, lose: { _ in }, agreedRate: { nil }, startsProcess: {}, didStartProcess: {},
            whereabouts: { nil })
    }
}
