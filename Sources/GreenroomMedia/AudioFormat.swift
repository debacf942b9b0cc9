/// The format of 16-bit interleaved audio.
public struct AudioFormat: Hashable, Sendable {
    /// The sample rates that a plugin may send.
    public static let legalRates = 8_000...192_000
    /// The longest block that a plugin may send, in milliseconds (`GR_MAX_BLOCK_MS`).
    public static let longestBlockMilliseconds = 100
    /// The capacity of a sender's queue, in milliseconds (`GR_AUDIO_QUEUE_MS`).
    public static let queueMilliseconds = 200
    /// The session's format.
    public static let session = AudioFormat(sampleRate: 48_000, channels: 2)

    /// Sample rate in hertz.
    public var sampleRate: Int
    /// 1 or 2.
    public var channels: Int

    /// Makes a format; see ``isLegal``.
    public init(sampleRate: Int, channels: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// Whether a plugin may send this rate and number of channels.
    public var isLegal: Bool {
        Self.legalRates.contains(sampleRate) && (1...2).contains(channels)
    }
}
