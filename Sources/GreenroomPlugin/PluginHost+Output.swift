public import GreenroomMedia

// An output's messages to the host while it runs. Wraps `GR_EXT_OUTPUT_HOST` and `GR_EXT_FILES_HOST`.

/// The connection state of an output.
public enum OutputState: UInt32, CaseIterable, Sendable {
    /// The output connects to its destination.
    case connecting = 1
    /// The output writes.
    case live = 2
    /// The output has lost its destination.
    case lost = 3
}

extension PluginHost {
    /// Limits the size and rate of a video track, because a viewer's network or a disk is slow.
    ///
    /// The host offers the source the largest limit of all outputs. The output's own frames keep their
    /// size until ``wantsChanged()``.
    ///
    /// - Parameters:
    ///   - track: A video track.
    ///   - ceiling: The largest size and rate; nil removes the ceiling.
    ///   - reason: A few words for people: `"the window is small"`.
    /// - Returns: `Status.ok`; `Status.unsupported` if the plugin is not an output; else the reason of the
    ///   refusal.
    @discardableResult
    public func setCeiling(
        of track: Track, to ceiling: VideoCapability?, because reason: String
    ) -> Status {
        Status(rawValue: table.setCeiling(of: track.id, to: ceiling, because: reason))
    }

    /// Tells the host that the wants have changed: it calls `onTrack` again for each track.
    ///
    /// The host calls after the running callback has returned, at most four times a second. The new
    /// answers take effect while the session runs.
    ///
    /// - Returns: `Status.ok`; `Status.unsupported` if the plugin is not an output.
    @discardableResult
    public func wantsChanged() -> Status { Status(rawValue: table.wantsChanged()) }

    /// Sets the output's state in the log and in the report.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - text: Details for people.
    /// - Returns: `Status.ok`; `Status.unsupported` if the plugin is not an output.
    @discardableResult
    public func setState(_ state: OutputState, _ text: String? = nil) -> Status {
        Status(rawValue: table.setState(state.rawValue, text))
    }

    /// Tells the session that a file is complete: the output has closed it, and will not change it. Hooks
    /// of the session may then upload or remove it.
    ///
    /// - Parameter path: The absolute path of a regular file that the plugin may write to.
    /// - Returns: `Status.ok`; `Status.unsupported` if the plugin is not an output, or the host is older
    ///   than minor 3; else the reason of the refusal.
    @discardableResult
    public func fileFinished(_ path: String) -> Status {
        Status(rawValue: table.finish(file: path))
    }

    /// Sets a value of the output in the session's report. A later value replaces an earlier one.
    ///
    /// - Parameters:
    ///   - name: Letters a–z, digits and `-`, e.g. `"bytes-written"`; at most 32 names for each output.
    ///   - value: A number.
    /// - Returns: `Status.ok`; `Status.unsupported` if the plugin is not an output; else the reason of the
    ///   refusal.
    @discardableResult
    public func report(_ name: String, _ value: Double) -> Status {
        Status(rawValue: table.report(name, value))
    }

    /// Sets a whole number in the session's report.
    @discardableResult
    public func report(_ name: String, _ value: some BinaryInteger) -> Status {
        report(name, Double(value))
    }
}
