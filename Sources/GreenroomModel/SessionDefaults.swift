public import GreenroomMedia

/// Default values of a session.
public enum SessionDefaults {
    /// The largest capability offered to a source.
    public static let maximum = VideoCapability(width: 1920, height: 1080, fps: 30)
    /// Time limit of a callback.
    public static let callbackDeadline = Duration.seconds(2)
}
