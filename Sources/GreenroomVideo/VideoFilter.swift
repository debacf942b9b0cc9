package import GreenroomConversion
package import GreenroomMedia
package import GreenroomRuntime

/// A filter as its track sees it: a plugin that edits frames.
package protocol VideoFilter: AnyObject, Sendable {
    /// What debuggers call its thread.
    var name: String { get }
    /// What a virtual clock calls its thread.
    var clockOrder: ClockOrder { get }
    /// Whether it takes frames now. [any]
    var isSending: Bool { get }
    /// Where its frames lie if it edits copies in a process of its own; nil if it edits the frame
    /// itself. [any]
    var editingPool: FramePool? { get }

    /// Edits a frame. [the filter's media thread]
    ///
    /// - Parameter frame: Upright I420, the only reference.
    func process(_ frame: inout VideoFrame) -> Status

    /// Ends the filter, which has had a frame for some nanoseconds of real time. [the track's
    /// thread]
    func giveUp(hungFor nanoseconds: Int64)
}
