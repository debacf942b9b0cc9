public import GreenroomMedia

// What a share says of itself. Wraps `GR_EXT_BROADCAST`.

extension PluginHost {
    /// Says that nothing new comes for now. The session goes on showing the last picture, and knows
    /// that this is meant.
    ///
    /// - Returns: `Status.ok`; `Status.unsupported` for what is no share, or from a host that does
    ///   not listen to that; `Status.gone` once the instance has ended.
    @discardableResult
    public func pauseShare() -> Status { Status(rawValue: table.pauseShare()) }

    /// Says that something new comes again.
    ///
    /// - Returns: As ``pauseShare()``.
    @discardableResult
    public func resumeShare() -> Status { Status(rawValue: table.resumeShare()) }

    /// Says that the source has come to its end, as it should: the host stops it, and takes its
    /// sender away.
    ///
    /// - Parameter text: What ended, for people.
    public func finish(_ text: String) { giveUp(text, status: .ok) }
}
