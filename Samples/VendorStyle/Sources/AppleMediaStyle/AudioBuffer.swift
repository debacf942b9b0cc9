// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A number of channels.
public typealias AVAudioChannelCount = UInt32
/// A number of samples of each channel.
public typealias AVAudioFrameCount = UInt32
/// The number of a bus.
public typealias AVAudioNodeBus = Int

/// The type of samples. Buffers have 16-bit ones.
public enum AVAudioCommonFormat: UInt, Sendable {
    /// Another one.
    case otherFormat
    /// Not supported.
    case pcmFormatFloat32
    /// Not supported.
    case pcmFormatFloat64
    /// 16-bit.
    case pcmFormatInt16
    /// Not supported.
    case pcmFormatInt32
}

/// The format of a buffer: 16-bit, one or two channels, 8000 to 192000 Hz.
public final class AVAudioFormat: Sendable {
    /// In Hz.
    public let sampleRate: Double
    /// One or two.
    public let channelCount: AVAudioChannelCount
    /// Whether the caller asked for it; samples are interleaved in any case.
    public let isInterleaved: Bool
    /// 16-bit.
    public let commonFormat = AVAudioCommonFormat.pcmFormatInt16

    /// Makes a format; nil if the host does not take it.
    public init?(
        commonFormat format: AVAudioCommonFormat, sampleRate: Double,
        channels: AVAudioChannelCount, interleaved: Bool
    ) {
        guard format == .pcmFormatInt16, let rate = Int(exactly: sampleRate),
            AudioFormat(sampleRate: rate, channels: Int(channels)).isLegal
        else { return nil }
        self.sampleRate = sampleRate
        channelCount = channels
        isInterleaved = interleaved
    }

    /// The host's name for it.
    package var format: AudioFormat {
        AudioFormat(sampleRate: Int(sampleRate), channels: Int(channelCount))
    }
}

/// Memory with samples.
public struct AudioBuffer {
    /// Channels, interleaved.
    public var mNumberChannels: UInt32
    /// The size of the memory.
    public var mDataByteSize: UInt32
    /// The memory.
    public var mData: UnsafeMutableRawPointer?
}

/// The one memory of a buffer.
public struct AudioBufferList {
    /// One.
    public var mNumberBuffers: UInt32
    /// The memory.
    public var mBuffers: AudioBuffer
}

/// A buffer of samples.
public final class AVAudioPCMBuffer: @unchecked Sendable {
    /// The format of the samples.
    public let format: AVAudioFormat
    /// Room for samples of each channel.
    public let frameCapacity: AVAudioFrameCount
    /// Samples of each channel; at most the capacity.
    public var frameLength: AVAudioFrameCount = 0 {
        didSet { frameLength = min(frameLength, frameCapacity) }
    }
    /// The samples, to read and write.
    public let mutableAudioBufferList: UnsafeMutablePointer<AudioBufferList>

    private let memory: UnsafeMutableBufferPointer<Int16>

    /// Makes an empty buffer of silence; nil for more than a minute.
    public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
        guard Double(frameCapacity) <= format.sampleRate * 60 else { return nil }
        self.format = format
        self.frameCapacity = frameCapacity
        memory = .allocate(capacity: max(Int(frameCapacity) * Int(format.channelCount), 1))
        memory.initialize(repeating: 0)
        mutableAudioBufferList = .allocate(capacity: 1)
        let bytes = UInt32(frameCapacity * format.channelCount * 2)
        mutableAudioBufferList.initialize(
            to: AudioBufferList(
                mNumberBuffers: 1,
                mBuffers: AudioBuffer(
                    mNumberChannels: format.channelCount, mDataByteSize: bytes,
                    mData: UnsafeMutableRawPointer(memory.baseAddress))))
    }

    deinit {
        memory.deallocate()
        mutableAudioBufferList.deallocate()
    }

    /// Room for the samples of all channels.
    package var room: UnsafeMutableBufferPointer<Int16> { memory }

    /// The samples of all channels, interleaved.
    package var samples: UnsafeBufferPointer<Int16> {
        UnsafeBufferPointer(
            rebasing: UnsafeBufferPointer(memory)[..<(Int(frameLength) * Int(format.channelCount))])
    }
}

/// The time at which a buffer was captured.
public final class AVAudioTime: Sendable {
    /// The first sample, counted from the start.
    public let sampleTime: Int64

    init(sampleTime: Int64) { self.sampleTime = sampleTime }
}
