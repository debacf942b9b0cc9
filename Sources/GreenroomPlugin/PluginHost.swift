public import GreenroomMedia

/// The host as an instance of a plugin sees it: a log, the session clock, and giving up.
///
/// Every member may be used from any thread, for as long as the process lives.
public struct PluginHost: Sendable {
    let table: HostTable

    /// How much a line of the log matters.
    public enum LogLevel: UInt32, CaseIterable, Sendable {
        /// For whoever debugs the plugin.
        case debug = 1
        /// Worth knowing.
        case info = 2
        /// Something is wrong, and the plugin goes on.
        case warning = 3
        /// Something is lost.
        case error = 4
    }

    /// Writes a line to the host's log, under the instance's name.
    public func log(_ level: LogLevel = .info, _ text: String) {
        table.log(level.rawValue, text)
    }

    /// Nanoseconds on the session clock: monotonic, starting anywhere, not wall time, and
    /// perhaps faster than real time.
    public var nowNanoseconds: Int64 { table.now() }

    /// Waits until the session clock shows a time; one that has passed returns at once.
    ///
    /// Call it from a thread of your own, never from a callback.
    ///
    /// - Parameter nanoseconds: A time on the session clock.
    /// - Returns: `Status.ok`, or `Status.stopped` as soon as
    ///   stop-send begins. A thread that ends when this is not `ok` ends in time.
    public func wait(untilNanoseconds nanoseconds: Int64) -> Status {
        Status(rawValue: table.wait(until: nanoseconds))
    }

    /// Gives up: the source is lost for good. The host goes on without it or ends the session,
    /// as the session file says.
    ///
    /// - Parameters:
    ///   - text: Why, for people.
    ///   - status: Why, for programs.
    public func giveUp(_ text: String, status: Status = .failed) {
        table.giveUp(status.rawValue, text)
    }

    /// Gives up because of an error.
    func giveUp(_ error: any Error) {
        let error = PluginError(describing: error)
        giveUp(error.text, status: error.status)
    }
}
