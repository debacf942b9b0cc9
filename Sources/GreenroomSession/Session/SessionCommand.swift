public import GreenroomPluginInterface
public import GreenroomMedia
public import GreenroomVideo

/// Something that is done to a session while it runs: by its timeline, or by whoever runs it.
public enum SessionCommand: Equatable, Sendable {
    /// Sets the most that a picture may have from now on; nil lifts the ceiling.
    case ceiling(VideoTrackKind, VideoCapability?)
    /// Stops the microphone; its recording goes on with silence.
    case mute
    /// Starts the microphone again.
    case unmute
    /// Stops the share and its sound; its last picture stays.
    case pauseShare
    /// Starts the share again.
    case resumeShare
    /// Stops the camera; its picture is black.
    case stopCamera
    /// Starts the camera again.
    case startCamera
    /// Tells why each picture is what it is.
    case explain
    /// Changes a live parameter of the plugin with a role, e.g. `camera.pre-processors[0]`.
    case set(role: String, Setting)
}

/// A command and when it is due.
public struct TimelineEntry: Equatable, Sendable {
    /// From the session's start.
    public var nanoseconds: Int64
    /// What to do.
    public var command: SessionCommand
    /// Who asks for it, in a few words, e.g. `timeline[2]`.
    public var origin: String

    /// Makes an entry.
    public init(nanoseconds: Int64, command: SessionCommand, origin: String) {
        self.nanoseconds = nanoseconds
        self.command = command
        self.origin = origin
    }
}
