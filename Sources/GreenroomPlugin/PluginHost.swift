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

    /// Reports whether a source has nothing new to send, because its media has ended, is damaged or lost.
    ///
    /// The host then repeats the last frame, or plays silence, and counts neither as real. Until a call with
    /// `false`, silence does not count as a failure.
    ///
    /// - Returns: `Status.ok`; `Status.unsupported` for other kinds than sources, and on hosts before minor 3
    ///   of the interface.
    @discardableResult
    public func setHeld(_ isHeld: Bool) -> Status { Status(rawValue: table.hold(isHeld)) }

    /// Counts frames, or blocks of audio, that a source received but cannot decode. The report counts them
    /// as refused, with `BAD_DATA`.
    ///
    /// - Returns: The same status as ``setHeld(_:)``.
    @discardableResult
    public func countDamaged(_ count: Int = 1) -> Status {
        Status(rawValue: table.countDamaged(UInt32(clamping: count)))
    }

    /// Gives up because of an error.
    func giveUp(_ error: any Error) {
        let error = PluginError(describing: error)
        giveUp(error.text, status: error.status)
    }
}
