internal import GreenroomABI
internal import GreenroomMedia

// Steering the session. Wraps `GR_EXT_CONTROL_HOST`.

extension PluginHost {
    /// The session, for a plugin that may control it: nil unless the session file grants it with
    /// `allow: { control: true }`.
    ///
    /// ``Plugin/onSessionEvent(_:)`` gets the session's events.
    public var control: SessionControl? {
        table.control.map { SessionControl(table: table, functions: $0) }
    }
}

/// A session that a plugin may control.
///
/// Use every member from any thread, for as long as the process lives.
public struct SessionControl: @unchecked Sendable {
    // Safe to share: the functions are the host's, which any thread may call.
    let table: HostTable
    let functions: gr_control_host

    /// Queues a command, between start and stop: `"mute"`, `"set camera.settings.speed=2"`, `"stop"`;
    /// any line of `greenroom run --control`.
    ///
    /// The command takes effect after the return. The event `commanded` then has the origin
    /// `command NUMBER of ROLE`. If the session can't execute the command now, an event `note` has that text as
    /// its role, and the reason.
    ///
    /// - Returns: The number.
    /// - Throws: A refusal with the reason if the text is not a command of this session;
    ///   `Status.queueFull` for more than 20 commands a second over a long time.
    @discardableResult
    public func command(_ text: String) throws(SendRefusal) -> Int {
        var number: UInt32 = 0
        try table.check(functions.command(table.instance, text, &number))
        return Int(number)
    }

    /// Describes the session as JSON: its plugins with their states, the commands that stop and start
    /// them, and their live settings with bounds, units and values.
    ///
    /// - Throws: `Status.notStarted` before the session's sources were started; `Status.queueFull` for
    ///   more than 20 descriptions and reports a second over a long time.
    public func describe() throws(SendRefusal) -> String { try text(functions.describe) }

    /// The session's report of this second, as JSON: the keys of `session.json`, and `seconds` since the
    /// session's start.
    ///
    /// - Throws: As ``describe()``.
    public func report() throws(SendRefusal) -> String { try text(functions.report) }

    private func text(
        _ copy: (
            gr_instance, UnsafeMutablePointer<CChar>, UInt64, UnsafeMutablePointer<UInt64>
        ) -> gr_status
    ) throws(SendRefusal) -> String {
        let capacity = Int(GR_MAX_CONTROL_TEXT)
        let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
        defer { buffer.deallocate() }
        var length: UInt64 = 0
        try table.check(copy(table.instance, buffer, UInt64(capacity), &length))
        let bytes = UnsafeRawBufferPointer(
            start: buffer, count: min(Int(clamping: length), capacity))
        return String(decoding: bytes, as: UTF8.self)
    }
}
