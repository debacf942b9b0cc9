public import GreenroomMedia

// A share's messages about itself. Wraps `GR_EXT_BROADCAST`.

extension PluginHost {
    /// Pauses the share: it has nothing new for now. The session repeats the last frame, and the log says
    /// that the pause is intended.
    ///
    /// - Returns: `Status.ok`; `Status.unsupported` if the plugin is not a share or the host lacks this
    ///   extension; `Status.gone` after the instance has ended.
    @discardableResult
    public func pauseShare() -> Status { Status(rawValue: table.pauseShare()) }

    /// Resumes a paused share.
    ///
    /// - Returns: See ``pauseShare()``.
    @discardableResult
    public func resumeShare() -> Status { Status(rawValue: table.resumeShare()) }

    /// Reports that the source has reached its regular end: the host stops and uninitializes it.
    ///
    /// - Parameter text: The reason of the end, for people.
    public func finish(_ text: String) { giveUp(text, status: .ok) }
}
