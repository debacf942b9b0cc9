import AppleMediaStyle

/// A sample rate.
public enum AudioStreamSampleRate: Int, CaseIterable, Sendable {
    /// 16000 Hz.
    case hz16000 = 16_000
    /// 22050 Hz.
    case hz22050 = 22_050
    /// 24000 Hz.
    case hz24000 = 24_000
    /// 32000 Hz.
    case hz32000 = 32_000
    /// 44100 Hz.
    case hz44100 = 44_100
    /// 48000 Hz.
    case hz48000 = 48_000

    /// In Hz.
    public var valueInHz: Double { Double(rawValue) }
}

/// The name that the guide has for it, too.
public typealias AudioSampleRate = AudioStreamSampleRate

/// The length of a block.
public enum AudioStreamBufferDuration: Int, Sendable {
    /// 10 ms.
    case inMs10 = 10
    /// 20 ms.
    case inMs20 = 20

    /// In milliseconds.
    public var value: Int { rawValue }
    /// In seconds.
    public var timeInterval: TimeInterval { Double(rawValue) / 1000 }
}

/// The channels.
public enum AudioStreamChannelMode: Int, Sendable {
    /// One.
    case mono = 1
    /// Two.
    case stereo

    /// One or two.
    public var channelCount: AVAudioChannelCount { AVAudioChannelCount(rawValue) }
}

/// The type of samples.
public enum AudioStreamFormat: Int, Sendable {
    /// 16-bit.
    case pcm16Bit
}

/// The format of a stream.
public class RawAudioStreamProperties: NSObject, @unchecked Sendable {
    /// In Hz.
    public var sampleRate = AudioStreamSampleRate.hz48000
    /// One channel or two.
    public var channelMode = AudioStreamChannelMode.mono
    /// 16-bit.
    public var format = AudioStreamFormat.pcm16Bit
    /// The length of a block.
    public var bufferDuration = AudioStreamBufferDuration.inMs20

    /// 48000 Hz, mono, 20 ms.
    public override init() {}
}

/// The format of an outgoing stream.
public final class RawOutgoingAudioStreamProperties:
    RawAudioStreamProperties, @unchecked Sendable
{}

/// The format of an incoming stream.
public final class RawIncomingAudioStreamProperties:
    RawAudioStreamProperties, @unchecked Sendable
{}

/// The options of an outgoing stream.
public final class RawOutgoingAudioStreamOptions: NSObject, @unchecked Sendable {
    /// The format.
    public var properties = RawOutgoingAudioStreamProperties()
    /// Makes options with the usual format.
    public override init() {}
}

/// The options of an incoming stream.
public final class RawIncomingAudioStreamOptions: NSObject, @unchecked Sendable {
    /// The format.
    public var properties = RawIncomingAudioStreamProperties()
    /// Makes options with the usual format.
    public override init() {}
}

/// The state of an audio stream.
public enum AudioStreamState: Int, Sendable {
    /// Samples flow.
    case started
    /// They do not.
    case stopped
}

/// The arguments of a change of state.
public final class AudioStreamStateChangedEventArgs: NSObject {
    /// The new state.
    public let streamState: AudioStreamState

    init(_ state: AudioStreamState) { streamState = state }
}

/// A block of audio.
public final class RawAudioBuffer: NSObject, @unchecked Sendable {
    /// The samples.
    public var buffer: AVAudioPCMBuffer?
    /// The time of an incoming block on the session's clock, in parts of 100 ns. The host ignores the
    /// time of an outgoing block: blocks follow each other.
    public var timestampInTicks: Int64 = 0

    /// Makes a block without samples.
    public override init() {}
}

/// The arguments of a block.
public final class IncomingMixedAudioEventArgs: NSObject {
    /// The block.
    public let audioBuffer: RawAudioBuffer

    init(_ buffer: RawAudioBuffer) { audioBuffer = buffer }
}

/// Hears of an outgoing stream, on the main queue.
public protocol RawOutgoingAudioStreamDelegate: AnyObject {
    /// Samples may be sent while the state is `started`.
    func rawOutgoingAudioStream(
        _ rawOutgoingAudioStream: RawOutgoingAudioStream,
        didChangeState args: AudioStreamStateChangedEventArgs)
}

/// Hears of an incoming stream.
public protocol RawIncomingAudioStreamDelegate: AnyObject {
    /// The stream started or stopped; on the main queue.
    func rawIncomingAudioStream(
        _ rawIncomingAudioStream: RawIncomingAudioStream,
        didChangeState args: AudioStreamStateChangedEventArgs)
    /// Gets a block of all participants' sum, on the host's media thread.
    func rawIncomingAudioStream(
        _ rawIncomingAudioStream: RawIncomingAudioStream,
        mixedAudioBufferReceived args: IncomingMixedAudioEventArgs)
}

/// The closures that hear of a stream.
public final class RawAudioStreamEvents: @unchecked Sendable {
    /// The stream started or stopped.
    public var onStateChanged: ((AudioStreamStateChangedEventArgs) -> Void)?
    /// Gets a block of an incoming stream.
    public var mixedAudioBufferReceived: ((IncomingMixedAudioEventArgs) -> Void)?
}

/// A stream of samples that an app makes.
public final class RawOutgoingAudioStream: NSObject, @unchecked Sendable {
    /// Hears of it. The stream keeps it, as the guide's assignment of a new object needs.
    public var delegate: (any RawOutgoingAudioStreamDelegate)?
    /// The closures that hear of it.
    public let events = RawAudioStreamEvents()

    let options: RawOutgoingAudioStreamOptions
    private let lock = NSLock()
    private var gate: SendGate<AudioSender>?

    /// Makes a stream.
    public init(rawOutgoingAudioStreamOptions: RawOutgoingAudioStreamOptions) {
        options = rawOutgoingAudioStreamOptions
    }

    /// Sends a block of up to 100 ms, from any thread. It never waits; the completion is called before
    /// the return.
    public func send(
        buffer: RawAudioBuffer, completionHandler: @escaping ((any Error)?) -> Void
    ) {
        guard let gate = lock.withLock({ gate }) else {
            return completionHandler(RawMediaError(status: .notStarted))
        }
        guard let buffer = buffer.buffer else {
            return completionHandler(RawMediaError(status: .badArgument))
        }
        let refusal = gate.send { sender throws(SendRefusal) in
            try sender.send(buffer.samples, format: buffer.format.format, timeout: .none)
        }
        completionHandler(refusal.map { RawMediaError(status: $0) })
    }

    func start(_ sender: AudioSender) {
        let gate = SendGate(sender)
        gate.open()
        lock.withLock { self.gate = gate }
        MainQueue.run { change(.started) }
    }

    func stop() {
        MainQueue.run { change(.stopped) }
        let gate = lock.withLock {
            defer { self.gate = nil }
            return self.gate
        }
        gate?.close()
    }

    private func change(_ state: AudioStreamState) {
        let args = AudioStreamStateChangedEventArgs(state)
        delegate?.rawOutgoingAudioStream(self, didChangeState: args)
        events.onStateChanged?(args)
    }
}

/// A stream of the sum of all participants.
public final class RawIncomingAudioStream: NSObject, @unchecked Sendable {
    /// Hears of it. The stream keeps it, as the guide's assignment of a new object needs.
    public var delegate: (any RawIncomingAudioStreamDelegate)?
    /// The closures that hear of it.
    public let events = RawAudioStreamEvents()

    let options: RawIncomingAudioStreamOptions

    /// Makes a stream.
    public init(rawIncomingAudioStreamOptions: RawIncomingAudioStreamOptions) {
        options = rawIncomingAudioStreamOptions
    }

    func change(_ state: AudioStreamState) {
        let args = AudioStreamStateChangedEventArgs(state)
        MainQueue.run {
            delegate?.rawIncomingAudioStream(self, didChangeState: args)
            events.onStateChanged?(args)
        }
    }

    func receive(_ block: borrowing OutputBlock) {
        guard
            let format = AVAudioFormat(
                commonFormat: .pcmFormatInt16, sampleRate: Double(block.format.sampleRate),
                channels: AVAudioChannelCount(block.format.channels), interleaved: true),
            let buffer = AVAudioPCMBuffer(
                pcmFormat: format, frameCapacity: AVAudioFrameCount(block.frameCount))
        else { return }
        buffer.frameLength = buffer.frameCapacity
        let samples = block.samples
        for index in samples.indices { buffer.room[index] = samples[index] }
        let raw = RawAudioBuffer()
        raw.buffer = buffer
        raw.timestampInTicks = block.timeNanoseconds / 100
        let args = IncomingMixedAudioEventArgs(raw)
        delegate?.rawIncomingAudioStream(self, mixedAudioBufferReceived: args)
        events.mixedAudioBufferReceived?(args)
    }
}
