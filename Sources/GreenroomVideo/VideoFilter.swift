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

    /// Tells it of another size or rate of its frames, and waits until it has returned. It must not
    /// have a frame. [the track's thread]
    ///
    /// - Parameter deadline: When to stop waiting, in real time.
    /// - Returns: Whether it gets such frames from now on; nil if it has not returned, and the next
    ///   call waits again.
    func change(to frames: VideoCapability, until deadline: Int64) -> Bool?

    /// How long it has been in such a change, in nanoseconds of real time; nil outside of one. One
    /// that was lost in a change and is back is in none. [the track's thread]
    var changeNanoseconds: Int64? { get }

    /// Edits a frame. [the filter's media thread]
    ///
    /// - Parameter frame: Upright I420, the only reference.
    func process(_ frame: inout VideoFrame) -> Status

    /// Ends the filter, which has been in a callback for that long in real time. [the track's
    /// thread]
    func giveUp(hungFor nanoseconds: Int64, in callback: FilterCall)

    /// Logs a text about it. [the track's thread]
    func tell(_ text: String)
}

/// A call of a filter that may hang.
package enum FilterCall: Sendable {
    /// ``VideoFilter/process(_:)``.
    case process
    /// ``VideoFilter/change(to:until:)``.
    case propertyChange
}

/// How a filter edits frames.
package struct FilterEditing: Sendable {
    /// What a filter edits.
    package enum Memory: Sendable {
        /// The frame itself: the filter is in the host's process.
        case inPlace
        /// A copy in this pool, which its process maps.
        case shared(FramePool)
    }

    /// What it edits.
    package var memory: Memory
    /// The size and rate of the frames that it gets.
    package var frames: VideoCapability

    /// What it wants of a frame, unless it is told of others.
    var want: VideoWant { VideoWant(format: .i420, size: frames.size) }

    package init(_ memory: Memory, frames: VideoCapability) {
        self.memory = memory
        self.frames = frames
    }
}
