package import GreenroomConversion
package import GreenroomMedia
package import GreenroomRuntime

/// A filter as its track sees it: a plugin that edits frames.
package protocol VideoFilter: AnyObject, Sendable {
    /// What debuggers call its thread.
    var name: String { get }
    /// What a virtual clock calls its thread.
    var clockOrder: ClockOrder { get }
    /// Whether frames that it has not edited are withheld from the outputs.
    var isRequired: Bool { get }
    /// How it edits frames now; nil while it takes none. [any]
    var editing: FilterEditing? { get }

    /// Edits a frame. [the filter's media thread]
    ///
    /// - Parameter frame: Upright I420, the only reference.
    func process(_ frame: inout VideoFrame) -> Status

    /// Ends the filter, which has had a frame for some nanoseconds of real time. [the track's
    /// thread]
    func giveUp(hungFor nanoseconds: Int64)

    /// Tells of it in the log. [the track's thread]
    func tell(_ text: String)
}

/// What a filter is handed.
package enum FilterEditing: Sendable {
    /// The frame itself: the filter is in the host's process.
    case inPlace
    /// A copy in this pool, which its process maps.
    case copies(FramePool)
}
