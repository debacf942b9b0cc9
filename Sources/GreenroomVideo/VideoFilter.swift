package import GreenroomConversion
package import GreenroomMedia
package import GreenroomRuntime

/// A plugin that edits the frames of a track.
package protocol VideoFilter: AnyObject, Sendable {
    /// The name of its thread in debuggers.
    var name: String { get }
    /// The order of its thread on a virtual clock.
    var clockOrder: ClockOrder { get }
    /// Whether frames that it did not edit are withheld.
    var isRequired: Bool { get }
    /// How it edits frames now; nil while it takes none. [any]
    var editing: FilterEditing? { get }

    /// Edits a frame. [the filter's media thread]
    ///
    /// - Parameter frame: Upright I420, the only reference.
    func process(_ frame: inout VideoFrame) -> Status

    /// Ends the filter, which has had a frame for that long in real time. [the track's thread]
    func giveUp(hungFor nanoseconds: Int64)

    /// Logs a text about it. [the track's thread]
    func tell(_ text: String)
}

/// What a filter edits.
package enum FilterEditing: Sendable {
    /// The frame itself: the filter is in the host's process.
    case inPlace
    /// A copy in this pool, which its process maps.
    case copies(FramePool)
}
