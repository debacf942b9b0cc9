import CSndFile
import GreenroomPlugin
import Synchronization

/// An audio file as 16-bit samples of one or two channels, read by libsndfile.
///
/// Longer samples are rounded, floating-point samples beyond full scale are clipped, and more than
/// two channels are mixed to stereo. One thread at a time.
struct AudioFile: ~Copyable {
    /// Sample rate in hertz; any number above 0.
    let sampleRate: Int
    /// The number of delivered channels: 1 or 2.
    let channels: Int
    /// Whole frames in the file, 1 or more.
    let frameCount: Int64
    /// The parts of the file that are ignored or changed; usually empty.
    let notes: [String]
    /// The first frame that was read with a sample beyond full scale; nil if none so far.
    private(set) var firstClipped: Int64?

    private let path: String
    /// Not safe to share between threads; neither is this value.
    private let file: OpaquePointer
    /// The bytes that libsndfile reads.
    private let bytes: AudioBytes
    private let fileChannels: Int
    private let downmix: Downmix?
    /// Whether the samples are decoded as floating point.
    private let isFloat: Bool
    /// The first frame of the next read.
    private var position: Int64 = 0
    /// libsndfile's current frame; −1 before the first read.
    private var filePosition: Int64 = -1
    /// A block decoded by libsndfile, of `Int32` or `Double`.
    private let block: UnsafeMutableRawPointer
    private static let blockByteCount = 16 * 1024

    /// Opens a file.
    ///
    /// - Throws: ``PluginError`` with the path, the reason and the fix.
    init(path: String) throws {
        let (file, bytes, info) = try Self.opened(path)
        self.path = path
        self.file = file
        self.bytes = bytes
        sampleRate = Int(info.samplerate)
        fileChannels = Int(info.channels)
        channels = min(fileChannels, 2)
        frameCount = info.frames
        let isOgg = Int(info.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_OGG
        downmix =
            fileChannels > 2
            ? Downmix(speakers: Self.speakers(of: file, fileChannels, isOgg: isOgg)) : nil
        isFloat = [
            SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE, SF_FORMAT_VORBIS, SF_FORMAT_OPUS,
            SF_FORMAT_MPEG_LAYER_I, SF_FORMAT_MPEG_LAYER_II, SF_FORMAT_MPEG_LAYER_III,
        ].contains(Int(info.format) & SF_FORMAT_SUBMASK)
        notes = Self.notes(on: file, bytes, info).map { "\(path): \($0)" }
        block = .allocate(byteCount: Self.blockByteCount, alignment: 16)
    }

    deinit {
        sf_close(file)
        block.deallocate()
    }

    /// Moves to a frame, at most to the end.
    mutating func seek(toFrame frame: Int64) { position = min(max(frame, 0), frameCount) }

    /// Reads the next samples.
    ///
    /// - Parameter samples: Filled from the front with interleaved frames of ``channels`` samples.
    /// - Returns: Number of frames read: as many as fit, fewer only at the end, then 0.
    /// - Throws: ``PluginError`` if the file is damaged or was truncated meanwhile.
    mutating func read(into samples: inout MutableSpan<Int16>) throws -> Int {
        let wanted = Int(min(Int64(samples.count / channels), frameCount - position))
        guard wanted > 0 else { return 0 }
        if filePosition != position {
            guard sf_seek(file, position, Int32(SF_SEEK_SET)) == position else {
                throw PluginError("\(path): \(String(cString: sf_strerror(file)))")
            }
            filePosition = position
        }
        let most = Self.blockByteCount / MemoryLayout<Double>.size / fileChannels
        var done = 0
        while done < wanted {
            let count = min(wanted - done, most)
            let read =
                isFloat
                ? sf_readf_double(file, block.assumingMemoryBound(to: Double.self), Int64(count))
                : sf_readf_int(file, block.assumingMemoryBound(to: Int32.self), Int64(count))
            guard read == count else {
                throw PluginError(
                    "\(path): the file ends or is damaged at frame \(position + read) of "
                        + "\(frameCount); do not change it while it plays, or create it again")
            }
            convert(frames: count, into: &samples, at: done)
            if isFloat, firstClipped == nil { firstClipped = clippedFrame(of: count) }
            done += count
            position += Int64(count)
            filePosition = position
        }
        return done
    }

    /// The first frame of a block of floating-point samples that is clipped.
    private func clippedFrame(of frames: Int) -> Int64? {
        let values = UnsafeBufferPointer(
            start: block.assumingMemoryBound(to: Double.self), count: frames * fileChannels)
        return values.firstIndex { abs($0) > 1 }.map { position + Int64($0 / fileChannels) }
    }

    private func convert(frames: Int, into samples: inout MutableSpan<Int16>, at first: Int) {
        guard let downmix else {
            for index in 0..<(frames * channels) {
                samples[first * channels + index] = sample(index)
            }
            return
        }
        for frame in 0..<frames {
            let pair = downmix.mix { sample(frame * fileChannels + $0) }
            samples[(first + frame) * 2] = pair.left
            samples[(first + frame) * 2 + 1] = pair.right
        }
    }

    /// A sample of the block as 16 bits; NaN becomes silence.
    @inline(__always)
    private func sample(_ index: Int) -> Int16 {
        guard isFloat else {
            let value = Int64(block.load(fromByteOffset: index * 4, as: Int32.self))
            return Int16(clamping: (value + 1 << 15) >> 16)
        }
        let value = block.load(fromByteOffset: index * 8, as: Double.self)
        guard !value.isNaN else { return 0 }
        return Int16(min(max(value * 32768, -32768), 32767).rounded())
    }
}

// MARK: Opening

extension AudioFile {
    private static func refusal(_ path: String, _ text: String) -> PluginError {
        PluginError("\(path): \(text)", status: .badSetting)
    }

    private static func opened(
        _ path: String
    ) throws -> (file: OpaquePointer, bytes: AudioBytes, info: SF_INFO) {
        var info = SF_INFO()
        let bytes = try AudioBytes(path: path)
        guard bytes.chunks?.isSplit != true else {
            throw refusal(path, "the file has several chunks of samples. \(conversion)")
        }
        // libsndfile keeps why an open failed in one place for all threads. Another plugin that opens a
        // file at that moment clears it: then the file is opened once more.
        let (handle, error) = opening.withLock { _ in
            var handle = bytes.open(&info)
            var number = sf_error(nil)
            for _ in 0..<10 where handle == nil && number == Int32(SF_ERR_NO_ERROR) {
                info = SF_INFO()
                handle = bytes.open(&info)
                number = sf_error(nil)
            }
            return (Int(bitPattern: handle), String(cString: sf_error_number(number)))
        }
        guard let file = OpaquePointer(bitPattern: handle) else {
            throw refusal(path, "\(error) \(conversion)")
        }
        let problem =
            switch info.frames {
            case ...0: "no audio in the file; record it again"
            case .max:
                "the file does not say how long it is; convert it: ffmpeg -i FILE NEW.flac"
            default: nil as String?
            }
        if let problem {
            sf_close(file)
            throw refusal(path, problem)
        }
        return (file, bytes, info)
    }

    private static let conversion = "Convert it: ffmpeg -i FILE -c:a pcm_s16le NEW.wav"
    private static let opening = Mutex(())

    /// The speaker of each channel.
    private static func speakers(of file: OpaquePointer, _ channels: Int, isOgg: Bool) -> [Int] {
        var map = [Int32](repeating: 0, count: channels)
        let byteCount = Int32(channels * MemoryLayout<Int32>.size)
        let isKnown =
            sf_command(file, Int32(SFC_GET_CHANNEL_MAP_INFO), &map, byteCount) == Int32(SF_TRUE)
        return isKnown
            ? map.map(Int.init) : Downmix.usualSpeakers(channels: channels, isOgg: isOgg)
    }

    /// The parts of the file that are ignored or changed.
    private static func notes(
        on file: OpaquePointer, _ bytes: AudioBytes, _ info: SF_INFO
    ) -> [String] {
        var notes: [String] = []
        if let (present, said) = bytes.chunks?.truncation {
            notes.append(
                "the file was cut off: of \(said) bytes of samples there are \(present)")
        }
        if let count = bytes.chunks?.unexplained {
            notes.append(
                "the size of the samples is wrong, and \(count) bytes after them are left out: sizes "
                    + "wrap in a file of more than 4 GiB. Repair it: ffmpeg -ignore_length 1 -i FILE "
                    + "-c copy -rf64 auto NEW.wav")
        }
        if info.channels > 2 {
            notes.append(
                "\(info.channels) channels are mixed to stereo, without a channel for effects")
        }
        var instrument = SF_INSTRUMENT()
        let size = Int32(MemoryLayout<SF_INSTRUMENT>.size)
        let hasInstrument =
            sf_command(file, Int32(SFC_GET_INSTRUMENT), &instrument, size) == Int32(SF_TRUE)
        if bytes.chunks?.hasLoops == true || hasInstrument && instrument.loop_count > 0 {
            notes.append(
                "loop points are ignored: the setting loop repeats the whole file. Cut the "
                    + "loop out to repeat only the loop")
        }
        var cues: UInt32 = 0
        let hasCues =
            sf_command(file, Int32(SFC_GET_CUE_COUNT), &cues, Int32(MemoryLayout<UInt32>.size))
            == Int32(SF_TRUE)
        let markers = max(bytes.chunks?.markerCount ?? 0, hasCues ? Int(cues) : 0)
        if markers > 0 {
            notes.append(
                "\(markers) \(markers == 1 ? "marker is" : "markers are") ignored: the file plays "
                    + "from beginning to end")
        }
        return notes
    }
}
