public import GreenroomMedia

// What an output tells the host while it runs. Wraps `GR_EXT_OUTPUT_HOST`.

/// What an output says of itself.
public enum OutputState: UInt32, CaseIterable, Sendable {
    /// It connects to what it writes to.
    case connecting = 1
    /// It writes.
    case live = 2
    /// It has lost what it writes to.
    case lost = 3
}

extension PluginHost {
    /// Sets the most that the output can use of a video track from now on, because a viewer's network
    /// or a disk is slow.
    ///
    /// The source is offered what the most demanding output of the session can use. The output's own
    /// frames stay as it wants them; ``wantsChanged()`` changes that.
    ///
    /// - Parameters:
    ///   - track: A video track.
    ///   - ceiling: The largest size and rate; nil lifts the ceiling.
    ///   - reason: In a few words, for people: `"the window is small"`.
    /// - Returns: `Status.ok`; `Status.unsupported` if the plugin is no output; else why the host
    ///   refused the ceiling.
    @discardableResult
    public func setCeiling(
        of track: Track, to ceiling: VideoCapability?, because reason: String
    ) -> Status {
        Status(rawValue: table.setCeiling(of: track.id, to: ceiling, because: reason))
    }

    /// Asks the host to call `onTrack` for each track again, since the output wants something else.
    ///
    /// The calls come after the running callback has returned, up to four times a second. The new
    /// answers take effect while the session runs.
    ///
    /// - Returns: `Status.ok`; `Status.unsupported` if the plugin is no output.
    @discardableResult
    public func wantsChanged() -> Status { Status(rawValue: table.wantsChanged()) }

    /// Says in which state the output is. It stands in the log and in the report.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - text: More about it, for people.
    /// - Returns: `Status.ok`; `Status.unsupported` if the plugin is no output.
    @discardableResult
    public func setState(_ state: OutputState, _ text: String? = nil) -> Status {
        Status(rawValue: table.setState(state.rawValue, text))
    }

    /// Sets a value of the output in the session's report; the last one of a name counts.
    ///
    /// - Parameters:
    ///   - name: Of a–z, 0–9 and `-`, e.g. `"bytes-written"`; an output has up to 32 names.
    ///   - value: A number.
    /// - Returns: `Status.ok`; `Status.unsupported` if the plugin is no output; else why the host
    ///   refused the name.
    @discardableResult
    public func report(_ name: String, _ value: Double) -> Status {
        Status(rawValue: table.report(name, value))
    }

    /// The same of a whole number.
    @discardableResult
    public func report(_ name: String, _ value: some BinaryInteger) -> Status {
        report(name, Double(value))
    }
}
