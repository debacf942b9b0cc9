public import GreenroomMedia

/// The host's services for a plugin instance: a log, the session clock, and giving up.
///
/// Use every member from any thread, for as long as the process lives.
public struct PluginHost: Sendable {
    let table: HostTable

    /// The severity of a log line.
    public enum LogLevel: UInt32, CaseIterable, Sendable {
        /// For debugging the plugin.
        case debug = 1
        /// Worth knowing.
        case info = 2
        /// Something is wrong, but the plugin continues.
        case warning = 3
        /// Something is lost.
        case error = 4
    }

    /// Writes a line to the host's log, with the instance's name.
    public func log(_ level: LogLevel = .info, _ text: String) {
        table.log(level.rawValue, text)
    }

    /// Nanoseconds on the session clock: monotonic from an arbitrary start, not wall time, and
    /// possibly faster than real time.
    public var nowNanoseconds: Int64 { table.now() }

    /// Waits until the session clock reaches a time; returns at once if it has passed.
    ///
    /// Call it from your own thread, never from a callback.
    ///
    /// - Parameter nanoseconds: A time on the session clock.
    /// - Returns: `Status.ok`, or `Status.stopped` as soon as stop-send begins. End your thread when the
    ///   result is not `ok`.
    public func wait(untilNanoseconds nanoseconds: Int64) -> Status {
        Status(rawValue: table.wait(until: nanoseconds))
    }

    /// Gives up: the source can't continue. The host restarts it, continues without it or ends the
    /// session, as the session file says.
    ///
    /// - Parameters:
    ///   - text: The reason for people.
    ///   - status: The reason for programs.
    public func giveUp(_ text: String, status: Status = .failed) {
        table.giveUp(status.rawValue, text)
    }

    /// Gives up because of an error.
    func giveUp(_ error: any Error) {
        let error = PluginError(describing: error)
        giveUp(error.text, status: error.status)
    }
}
