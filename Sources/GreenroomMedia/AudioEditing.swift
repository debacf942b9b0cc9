/// The declaration of an audio filter.
public struct AudioEditing: Hashable, Sendable {
    /// The samples of each channel in a block: 10 ms of 48 kHz (`GR_AUDIO_EDIT_FRAMES`).
    public static let blockFrames = 480
    /// The longest delay, in samples of each channel (`GR_MAX_AUDIO_DELAY_FRAMES`).
    public static let longestDelayFrames = 9600

    /// The channels of its blocks: 1 or 2. For 1 the host mixes both channels, and gives the result to
    /// both.
    public var channels: Int
    /// The delay of a sample, in samples of each channel, up to
    /// ``longestDelayFrames``. The host keeps all tracks in step.
    public var delayFrames: Int
    /// Whether its blocks come with the session's incoming audio.
    public var takesReference: Bool

    /// Makes a declaration; without arguments: stereo, no delay, no incoming audio.
    public init(channels: Int = 2, delayFrames: Int = 0, takesReference: Bool = false) {
        self.channels = channels
        self.delayFrames = delayFrames
        self.takesReference = takesReference
    }
}
