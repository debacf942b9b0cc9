package import GreenroomABI
package import GreenroomIPC
package import GreenroomMedia

/// Watches a plugin from inside its process. Only the validator's runner has one.
///
/// Each process that a plugin's calls pass through has its own observer: this one sees leases, copies
/// and edits where they take place; `InstanceObserver`, in the host, sees the messages and the clock. They
/// share no call and no value but the plugin's memory, so one protocol would be two halves, each
/// empty on one side.
///
/// Frames are identified by their planes.
package protocol RunnerProbe: AnyObject, Sendable {
    /// Prepares for an instance that is about to be created. [control]
    ///
    /// - Parameters:
    ///   - request: From the validator.
    ///   - frames: The memory of the plugin's frames; nil for audio.
    /// - Returns: The answer to the host.
    func prepare(_ request: WireReader, frames: SharedMemory?) -> WireWriter

    /// Whether to hide an extension of the host, by id. [any]
    func withholds(_ id: UnsafePointer<CChar>) -> Bool

    /// The plugin is about to get a frame. [any]
    func didLend(_ planes: SharedPlanes, lease: UInt64)

    /// The plugin commits or abandons a lease; the id may be invalid. [any]
    func willReturn(lease: UInt64)

    /// The runner is about to copy a frame of the plugin. [any]
    func willCopy(to planes: SharedPlanes)

    /// The runner has copied a frame of the plugin. [any]
    func didCopy(to planes: SharedPlanes)

    /// Lets a pre-processor edit a frame. [media]
    ///
    /// - Parameters:
    ///   - channel: Receives the answer, which begins with the status.
    ///   - process: Calls the plugin.
    /// - Returns: The length of the answer.
    func edit(
        _ frame: inout gr_mutable_frame, in planes: SharedPlanes, answer channel: Channel,
        _ process: (inout gr_mutable_frame) -> Status
    ) -> Int
}
