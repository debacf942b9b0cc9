public import GreenroomMedia

// What a share says of itself. Wraps `GR_EXT_BROADCAST`.

extension PluginHost {
    /// Reports that the share has nothing new for now. The session repeats the last frame and logs
    /// that this is intended.
    ///
    /// - Returns: `Status.ok`; `Status.unsupported` if the plugin is no share or the host lacks
    ///   this extension; `Status.gone` after the instance has ended.
    @discardableResult
    public func pauseShare() -> Status { Status(rawValue: table.pauseShare()) }

    /// Reports that the share has something new again.
    ///
    /// - Returns: As ``pauseShare()``.
    @discardableResult
    public func resumeShare() -> Status { Status(rawValue: table.resumeShare()) }

    /// Reports that the source has reached its regular end: the host stops and uninitializes it.
    ///
    /// - Parameter text: What ended, for people.
    public func finish(_ text: String) { giveUp(text, status: .ok) }
}
