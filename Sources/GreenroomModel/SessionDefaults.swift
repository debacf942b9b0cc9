public import GreenroomMedia

/// What holds for a session that does not say otherwise.
public enum SessionDefaults {
    /// The most that any source is offered.
    public static let maximum = VideoCapability(width: 1920, height: 1080, fps: 30)
    /// How long a callback may take before it counts as hung.
    public static let callbackDeadline = Duration.seconds(2)
}
