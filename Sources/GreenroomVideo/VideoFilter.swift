package import GreenroomConversion
package import GreenroomMedia
package import GreenroomRuntime

/// A plugin that edits the frames of a track.
package protocol VideoFilter: AnyObject, Sendable {
    /// The name of the filter's thread in debuggers.
    var name: String { get }
    /// The order of the filter's thread on a virtual clock.
    var clockOrder: ClockOrder { get }
    /// Whether the track withholds frames that the filter did not edit.
    var isRequired: Bool { get }
    /// Returns the time after which the filter counts as hung, in nanoseconds.
    ///
    /// - Parameter session: The time for filters without one.
    func deadline(_ session: Int64) -> Int64
    /// The way in which the filter edits frames now; nil while it takes none. [any]
    var editing: FilterEditing? { get }

    /// Announces a new size or rate to the filter, and waits for the filter's return. The filter
    /// must not have a frame. [the track's thread]
    ///
    /// - Parameter deadline: The end of the wait, in real time.
    /// - Returns: Whether the filter takes such frames from now on; nil if it has not returned, and
    ///   the next call waits again.
    func change(to frames: VideoCapability, until deadline: Int64) -> Bool?

    /// The time that the filter has been in a change, in nanoseconds of real time; nil outside of a
    /// change, including after a restart. [the track's thread]
    var changeNanoseconds: Int64? { get }

    /// Edits a frame. [the filter's media thread]
    ///
    /// - Parameter frame: An upright I420 frame, as the only reference.
    func process(_ frame: inout VideoFrame) -> Status

    /// Abandons the filter, whose callback has run for `nanoseconds` of real time. [the track's
    /// thread]
    func giveUp(hungFor nanoseconds: Int64, in callback: FilterCall)

    /// Logs a text about the filter. [the track's thread]
    func tell(_ text: String)
}

/// A call of a filter that may hang.
package enum FilterCall: Sendable {
    /// ``VideoFilter/process(_:)``.
    case process
    /// ``VideoFilter/change(to:until:)``.
    case propertyChange
}

/// The way in which a filter edits frames.
package struct FilterEditing: Sendable {
    /// The memory of the copy that a filter edits.
    package enum Memory: Sendable {
        /// The track's pool, because the filter is in the host's process.
        case host
        /// This pool, which the filter's process maps.
        case shared(FramePool)
    }

    /// The memory that the filter edits.
    package var memory: Memory
    /// The size and rate of the frames that the filter receives.
    package var frames: VideoCapability

    /// The filter's want, unless the host announces another size.
    var want: VideoWant { VideoWant(format: .i420, size: frames.size) }

    package init(_ memory: Memory, frames: VideoCapability) {
        self.memory = memory
        self.frames = frames
    }
}
