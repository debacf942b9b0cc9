package import GreenroomModel
import GreenroomRuntime

extension InstanceContext {
    /// The context for scanning a library, in which no instance is created.
    ///
    /// - Parameter log: Receives output of the library.
    package static func scan(
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) -> InstanceContext {
        InstanceContext(
            handle: 0, role: "scan", hasVirtualClock: false, extensions: [], frameLimit: 0,
            lentBytes: { 0 }, clock: .real, log: log, warnOnce: { log(.warning, $0) },
            wake: {}, lose: { _ in },
            agreedRate: { nil }, startsProcess: {}, didStartProcess: {}, whereabouts: { nil })
    }
}
