/// The version of this host.
public enum GreenroomVersion {
    /// As `greenroom --version` prints it.
    public static let current = "0.1.0"
}
