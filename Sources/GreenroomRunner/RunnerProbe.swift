package import GreenroomABI
package import GreenroomIPC
package import GreenroomMedia

/// Watches a plugin from inside its process. A session's runner has none.
///
/// Frames are named by their planes in the frames' memory.
package protocol RunnerProbe: Sendable {
    /// Prepares for an instance that is about to be created. [control]
    ///
    /// - Parameters:
    ///   - request: The host's; only the probe knows what is in it.
    ///   - frames: The memory that the plugin's frames lie in; nil for sound.
    /// - Returns: The answer to the host.
    func prepare(_ request: WireReader, frames: SharedMemory?) -> WireWriter

    /// Whether the plugin must not get an extension of the host, by id. [any]
    func withholds(_ id: UnsafePointer<CChar>) -> Bool

    /// The plugin is about to get a frame. [any]
    func didLend(_ planes: SharedPlanes, lease: UInt64)

    /// The plugin commits or abandons a lease, which may be wrong. [any]
    func willReturn(lease: UInt64)

    /// The runner is about to copy a frame of the plugin's. [any]
    func willCopy(to planes: SharedPlanes)

    /// The runner has copied a frame of the plugin's. [any]
    func didCopy(to planes: SharedPlanes)

    /// Has a pre-processor edit a frame. [media]
    ///
    /// - Parameters:
    ///   - channel: Gets the answer, which begins with the status.
    ///   - process: Calls the plugin.
    /// - Returns: The length of the answer.
    func edit(
        _ frame: inout gr_mutable_frame, in planes: SharedPlanes, answer channel: Channel,
        _ process: (inout gr_mutable_frame) -> Status
    ) -> Int
}
