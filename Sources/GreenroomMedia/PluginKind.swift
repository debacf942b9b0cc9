/// What a plugin is. Raw values are those of `GR_KIND_…`.
public enum PluginKind: UInt32, CaseIterable, Sendable {
    /// A camera.
    case videoSource = 1
    /// A microphone.
    case virtualMic = 2
    /// A screen share.
    case shareSource = 3
    /// The sound of a share.
    case shareAudioSource = 4
    /// A filter that edits a camera's frames.
    case preProcessor = 5

    /// The name that people read, e.g. `"video source"`.
    public var name: String {
        switch self {
        case .videoSource: "video source"
        case .virtualMic: "virtual mic"
        case .shareSource: "share source"
        case .shareAudioSource: "share audio source"
        case .preProcessor: "video pre-processor"
        }
    }
}
