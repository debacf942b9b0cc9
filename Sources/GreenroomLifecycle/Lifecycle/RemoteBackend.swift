package import GreenroomABI
package import GreenroomVideo

/// One life of a pre-processor in a process of its own, which edits a frame while the calling thread may do
/// something else. [the track's thread]
package protocol RemoteBackend: InstanceBackend {
    /// Whether its process can copy frames of another one's memory, and be woken by it.
    func canFollow(_ previous: any RemoteBackend) -> Bool

    /// Says what it is to edit.
    ///
    /// - Parameters:
    ///   - frame: In its memory.
    ///   - source: What its process copies to the frame first, in the memory of the filter before, which
    ///     ``canFollow(_:)`` allows; nil for a complete frame.
    /// - Returns: Whether the filter before is still there, if there is one.
    func put(
        _ frame: gr_mutable_frame, from source: (frame: gr_mutable_frame, of: any RemoteBackend)?
    ) -> Bool

    /// Lets it edit the frame, as ``RemoteFilter/begin(in:next:)``.
    func begin(in pass: UInt32, next: (any RemoteBackend)?)

    /// Waits for the end, as ``RemoteFilter/result(until:)``.
    func result(until deadline: Int64) -> RemoteEdit?

    /// As ``RemoteFilter/callsHost``.
    var callsHost: Bool { get }

    /// As ``RemoteFilter/cancel(pass:)``.
    func cancel(pass: UInt32) -> Bool

    /// Serves its calls, and waits for the end. [media]
    func finish() -> RemoteEdit
}

/// What became of a frame in a process.
package struct RemoteEdit: Sendable {
    package var result: EditResult
    /// How long the filter had it as one of a pass, as its process says; nil for a filter alone.
    package var nanoseconds: Int64?

    package init(_ result: EditResult, nanoseconds: Int64? = nil) {
        self.result = result
        self.nanoseconds = nanoseconds
    }
}
