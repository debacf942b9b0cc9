public import GreenroomMedia

/// An audio source that makes samples when they are due: ``Microphone`` or ``ScreenAudio``.
///
/// The SDK keeps the sender and runs an ``AudioPump``. No two calls overlap, although samples are
/// made on a separate thread: a plain struct or class needs no lock.
public protocol PumpedAudio: Plugin {
    /// The sample rate and channels, read when sending starts; 48000 Hz mono by default.
    var format: AudioFormat { get }

    /// The sender exists. The default does nothing.
    mutating func onInitialize() throws

    /// Audio starts. The default does nothing.
    mutating func onStartSend() throws

    /// Makes the samples of one block of 10 ms.
    ///
    /// - Parameters:
    ///   - samples: The block to fill, channels interleaved; initially silent. Successive blocks
    ///     may differ in length by one sample.
    ///   - time: The time of the first sample. Count by its index, not by the current time.
    /// - Throws: Any error ends the source.
    mutating func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) throws

    /// Audio stops; it may start again. The default does nothing.
    mutating func onStopSend()

    /// The sender has ended. The default does nothing.
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

/// A microphone in one function: make the samples for this time.
public protocol Microphone: PumpedAudio {}

extension Microphone {
    /// Exports the type as a virtual mic.
    public static var export: PluginExport { MicrophoneSource<Self>.export }
}

/// The audio of a share in one function: make the samples for this time.
public protocol ScreenAudio: PumpedAudio {}

extension ScreenAudio {
    /// Exports the type as a share audio source.
    public static var export: PluginExport { ScreenAudioSource<Self>.export }
}
