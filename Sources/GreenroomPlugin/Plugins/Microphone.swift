public import GreenroomMedia

/// A source of sound that makes samples as they are due: ``Microphone`` or ``ScreenAudio``.
///
/// The SDK keeps the sender and runs an ``AudioPump``. No two calls ever overlap, though the
/// samples are made on a thread of their own: a plain struct or class needs no lock.
public protocol PumpedAudio: Plugin {
    /// The rate and channels of the samples, asked for when sending starts; 48000 Hz mono
    /// unless said.
    var format: AudioFormat { get }

    /// A sender is there. The default does nothing.
    mutating func onInitialize() throws

    /// Sound begins. The default does nothing.
    mutating func onStartSend() throws

    /// Makes the samples of a block of 10 ms.
    ///
    /// - Parameters:
    ///   - samples: What to fill, channels interleaved; silent at first. Two blocks that follow
    ///     each other may differ in length by a sample.
    ///   - time: When the first sample sounds. Count by its index, not by the time that it is
    ///     now.
    /// - Throws: Any error gives the source up.
    mutating func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) throws

    /// No more sound, unless it starts again. The default does nothing.
    mutating func onStopSend()

    /// It is over. The default does nothing.
    mutating func onUninitialized()
}

extension PumpedAudio {
    /// 48000 Hz mono.
    public var format: AudioFormat { AudioFormat(sampleRate: 48_000, channels: 1) }

    /// Does nothing.
    public func onInitialize() throws {}

    /// Does nothing.
    public func onStartSend() throws {}

    /// Does nothing.
    public func onStopSend() {}

    /// Does nothing.
    public func onUninitialized() {}
}

/// A microphone that is one function: make the samples of this time.
public protocol Microphone: PumpedAudio {}

extension Microphone {
    /// Exports the type as a virtual mic.
    public static var export: PluginExport { MicrophoneSource<Self>.export }
}

/// The sound of a share that is one function: make the samples of this time.
public protocol ScreenAudio: PumpedAudio {}

extension ScreenAudio {
    /// Exports the type as a share audio source.
    public static var export: PluginExport { ScreenAudioSource<Self>.export }
}
