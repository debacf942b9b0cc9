/// Reads a WAV file as 16-bit PCM: whole numbers of 8 to 32 bits, floating point, A-law and
/// µ-law, in WAV, `WAVE_FORMAT_EXTENSIBLE` or RF64, of any length.
///
/// The file is read a few milliseconds at a time. A file of more than two channels is mixed
/// down to stereo: front channels as they are, centre and surrounds 3 dB lower, the whole
/// lowered so that it cannot clip. One thread at a time.
public struct WAVReader: ~Copyable, Sendable {
    /// Samples of each channel in a second, in hertz; any number above 0.
    public let sampleRate: Int
    /// The channels that are delivered: 1 or 2.
    public let channels: Int
    /// The channels in the file.
    public let fileChannels: Int
    /// Whole frames in the file.
    public let frameCount: Int64
    /// The frame that the next read begins with.
    public private(set) var position: Int64 = 0
    /// Something about the file that its owner should know, such as that it was cut off; nil
    /// as a rule.
    public let note: String?

    private let file: Descriptor
    private let layout: WAVLayout
    private let downmix: WAVDownmix?
    private let buffer = Buffer(byteCount: 16 * 1024)

    /// Opens a file and reads what comes before its samples.
    ///
    /// - Throws: ``MediaFileError`` naming the byte, the rule and the cure.
    public init(path: String) throws(MediaFileError) {
        let file = try Descriptor.reading(path)
        let layout = try WAVLayout(file)
        sampleRate = layout.sampleRate
        channels = min(layout.channels, 2)
        fileChannels = layout.channels
        frameCount = layout.frameCount
        note = layout.note
        downmix =
            layout.channels > 2
            ? WAVDownmix(channels: layout.channels, speakers: layout.speakers) : nil
        self.layout = layout
        self.file = file
    }

    /// Goes to a frame; beyond the end means the end.
    public mutating func seek(toFrame frame: Int64) {
        position = min(max(frame, 0), frameCount)
    }

    /// Reads on from ``position``.
    ///
    /// - Parameter samples: Filled from the front with interleaved frames of ``channels``
    ///   samples.
    /// - Returns: The frames read: as many as fit, fewer only at the end, 0 behind it.
    /// - Throws: ``MediaFileError/Code/cannotRead``, ``MediaFileError/Code/malformed`` where
    ///   the file was cut meanwhile.
    public mutating func read(
        into samples: inout MutableSpan<Int16>
    ) throws(MediaFileError) -> Int {
        let wanted = Int(min(Int64(samples.count / channels), frameCount - position))
        let most = buffer.bytes.count / layout.blockByteCount
        var done = 0
        while done < wanted {
            let count = min(wanted - done, most)
            let bytes = UnsafeMutableRawBufferPointer(
                rebasing: buffer.bytes.prefix(count * layout.blockByteCount))
            try file.readWhole(
                into: bytes, at: layout.dataOffset + position * Int64(layout.blockByteCount))
            convert(UnsafeRawBufferPointer(bytes), frames: count, into: &samples, at: done)
            done += count
            position += Int64(count)
        }
        return done
    }

    private func convert(
        _ bytes: UnsafeRawBufferPointer, frames: Int, into samples: inout MutableSpan<Int16>,
        at first: Int
    ) {
        let encoding = layout.encoding
        let width = encoding.byteCount
        guard let downmix else {
            for index in 0..<(frames * channels) {
                samples[first * channels + index] = encoding.sample(bytes, at: index * width)
            }
            return
        }
        for frame in 0..<frames {
            let block = frame * layout.blockByteCount
            let pair = downmix.mix { encoding.sample(bytes, at: block + $0 * width) }
            samples[(first + frame) * 2] = pair.left
            samples[(first + frame) * 2 + 1] = pair.right
        }
    }
}
