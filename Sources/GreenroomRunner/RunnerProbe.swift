package import GreenroomABI
package import GreenroomIPC
package import GreenroomMedia

/// Observes a plugin inside its process. Only the validator's runner has a probe.
///
/// Each process on the path of a plugin's calls has its own observer. The probe sees leases, copies
/// and edits where they occur. `InstanceObserver`, in the host, sees the messages and the clock.
/// The two share no call and no value except the plugin's memory, so a common protocol would have
/// two disjoint halves.
///
/// A frame is identified by its planes.
package protocol RunnerProbe: AnyObject, Sendable {
    /// Prepares for an instance that is about to be created. [control]
    ///
    /// - Parameters:
    ///   - request: The validator's request.
    ///   - frames: The memory of the plugin's frames; nil if the plugin handles audio.
    /// - Returns: The answer to the host.
    func prepare(_ request: WireReader, frames: SharedMemory?) -> WireWriter

    /// Whether to hide an extension of the host, by id. [any]
    func withholds(_ id: UnsafePointer<CChar>) -> Bool

    /// Called before the plugin receives a frame. [any]
    func didLend(_ planes: SharedPlanes, lease: UInt64)

    /// Called when the plugin commits or abandons a lease. The id may be invalid. [any]
    func willReturn(lease: UInt64)

    /// Called before the runner copies a frame of the plugin. [any]
    func willCopy(to planes: SharedPlanes)

    /// Called after the runner has copied a frame of the plugin. [any]
    func didCopy(to planes: SharedPlanes)

    /// Calls a pre-processor to edit a frame. [media]
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
