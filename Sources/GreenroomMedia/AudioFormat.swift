/// The shape of 16-bit interleaved sound.
public struct AudioFormat: Hashable, Sendable {
    /// The sample rates that a plugin may send.
    public static let legalRates = 8_000...192_000
    /// The longest block that a plugin may send, in milliseconds (`GR_MAX_BLOCK_MS`).
    public static let longestBlockMilliseconds = 100
    /// How much a sender's queue holds, in milliseconds (`GR_AUDIO_QUEUE_MS`).
    public static let queueMilliseconds = 200
    /// What the session runs at.
    public static let session = AudioFormat(sampleRate: 48_000, channels: 2)

    /// Samples of each channel in a second, in hertz.
    public var sampleRate: Int
    /// 1 or 2.
    public var channels: Int

    /// Makes a format; see ``isLegal``.
    public init(sampleRate: Int, channels: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// Whether rate and channels are among what a plugin may send.
    public var isLegal: Bool {
        Self.legalRates.contains(sampleRate) && (1...2).contains(channels)
    }
}
