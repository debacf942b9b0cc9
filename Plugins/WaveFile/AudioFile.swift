import CSndFile
import GreenroomPlugin
import GreenroomSystem
import Synchronization
import SystemPackage

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
    /// What is in the file and is not played, or not as it is; usually nothing.
    let notes: [String]
    /// The first frame that was read with a sample beyond full scale; nil for none so far.
    private(set) var firstClipped: Int64?

    private let path: String
    /// Not safe to share between threads; neither is this value.
    private let file: OpaquePointer
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
    /// - Throws: ``PluginError`` with the path, the reason and the cure.
    init(path: String) throws {
        let (file, info) = try Self.opened(path)
        self.path = path
        self.file = file
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
        notes = Self.notes(on: file, info).map { "\(path): \($0)" }
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
                        + "\(frameCount); leave it alone while it plays, or make it again")
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
        PluginError("\(path): \(text)", status: .unavailable)
    }

    private static func opened(_ path: String) throws -> (file: OpaquePointer, info: SF_INFO) {
        var info = SF_INFO()
        var file = try open(path, &info)
        let isWAV = [SF_FORMAT_WAV, SF_FORMAT_WAVEX].contains(
            Int(info.format) & SF_FORMAT_TYPEMASK)
        if info.frames == 0, isWAV, let samples = unfinishedSamples(in: path) {
            // Only the size is missing: the samples continue to the end of the file.
            sf_close(file)
            info.format = Int32(
                SF_FORMAT_RAW | SF_ENDIAN_LITTLE | Int(info.format) & SF_FORMAT_SUBMASK)
            file = try open(path, &info)
            var offset = sf_count_t(samples.offset)
            sf_command(
                file, Int32(SFC_SET_RAW_START_OFFSET), &offset,
                Int32(MemoryLayout<sf_count_t>.size))
            info.frames = samples.byteCount / Int64(samples.frameByteCount)
        }
        let problem =
            switch info.frames {
            case ...0: "there is no audio in the file; record it again"
            case .max:
                "the file does not say how long it is; convert it: ffmpeg -i FILE NEW.flac"
            default: nil as String?
            }
        if let problem {
            sf_close(file)
            throw refusal(path, problem)
        }
        return (file, info)
    }

    private static let opening = Mutex(())

    /// - Returns: A libsndfile handle, which also closes the descriptor.
    private static func open(_ path: String, _ info: inout SF_INFO) throws -> OpaquePointer {
        let descriptor = try regularFile(path)
        // libsndfile keeps why an open failed in one place for all threads.
        let (handle, isSplit, error) = opening.withLock { _ in
            let file = sf_open_fd(descriptor.rawValue, Int32(SFM_READ), &info, Int32(SF_TRUE))
            let isSplit = log(of: file).count { $0.hasPrefix("data : ") } > 1
            return (Int(bitPattern: file), isSplit, String(cString: sf_strerror(nil)))
        }
        guard let file = OpaquePointer(bitPattern: handle), !isSplit else {
            if handle != 0 { sf_close(OpaquePointer(bitPattern: handle)) }
            let reason = isSplit ? "the file has several chunks of samples." : error
            throw refusal(path, "\(reason) Convert it: ffmpeg -i FILE -c:a pcm_s16le NEW.wav")
        }
        return file
    }

    private static func regularFile(_ path: String) throws -> FileDescriptor {
        let file: FileDescriptor
        do throws(Errno) {
            // Opening a pipe must not wait for its writer.
            file = try .reading(path, options: .nonBlocking)
        } catch {
            throw refusal(path, "the file can't be opened: \(error)")
        }
        guard (try? file.stat())?.type == .regular else {
            try? file.close()
            throw refusal(path, "this is not a regular file; save the audio to a file on disk")
        }
        return file
    }

    /// The samples of a WAV file without a final size, for example because its writer was killed;
    /// nil for none.
    private static func unfinishedSamples(
        in path: String
    ) -> (offset: Int64, byteCount: Int64, frameByteCount: Int)? {
        guard let file = try? FileDescriptor.reading(path) else { return nil }
        defer { try? file.close() }
        guard let length = (try? file.stat())?.size else { return nil }
        var offset: Int64 = 12
        var frameByteCount = 0
        while offset + 8 <= length {
            var head = [UInt8](repeating: 0, count: 8 + 14)
            let count = try? head.withUnsafeMutableBytes {
                try file.read(fromAbsoluteOffset: offset, into: $0)
            }
            guard let count, count >= 8 else { return nil }
            let size = (4..<8).reversed().reduce(Int64(0)) { $0 << 8 | Int64(head[$1]) }
            if head.starts(with: "data".utf8) {
                let isUnfinished = size == 0 && frameByteCount > 0
                return isUnfinished ? (offset + 8, length - offset - 8, frameByteCount) : nil
            }
            if head.starts(with: "fmt ".utf8) {
                frameByteCount = Int(head[20]) | Int(head[21]) << 8
            }
            offset += 8 + size + size % 2
        }
        return nil
    }

    /// The speaker of each channel.
    private static func speakers(of file: OpaquePointer, _ channels: Int, isOgg: Bool) -> [Int] {
        var map = [Int32](repeating: 0, count: channels)
        let byteCount = Int32(channels * MemoryLayout<Int32>.size)
        let isKnown =
            sf_command(file, Int32(SFC_GET_CHANNEL_MAP_INFO), &map, byteCount) == Int32(SF_TRUE)
        return isKnown
            ? map.map(Int.init) : Downmix.usualSpeakers(channels: channels, isOgg: isOgg)
    }

    /// What is in the file and is not played, or not as it is.
    private static func notes(on file: OpaquePointer, _ info: SF_INFO) -> [String] {
        var notes: [String] = []
        if let note = truncation(of: file) { notes.append(note) }
        if info.channels > 2 {
            notes.append(
                "\(info.channels) channels are mixed to stereo, without a channel for effects")
        }
        var instrument = SF_INSTRUMENT()
        let size = Int32(MemoryLayout<SF_INSTRUMENT>.size)
        if sf_command(file, Int32(SFC_GET_INSTRUMENT), &instrument, size) == Int32(SF_TRUE),
            instrument.loop_count > 0
        {
            notes.append(
                "its loop points are not used: the setting loop repeats the whole file. Cut the "
                    + "loop out to repeat it alone")
        }
        var cues: UInt32 = 0
        if sf_command(
            file, Int32(SFC_GET_CUE_COUNT), &cues, Int32(MemoryLayout<UInt32>.size))
            == Int32(SF_TRUE), cues > 0
        {
            notes.append(
                "its \(cues) \(cues == 1 ? "marker is" : "markers are") not used: the file plays "
                    + "from beginning to end")
        }
        return notes
    }

    /// The lines of libsndfile's log.
    ///
    /// - Parameter file: nil for the file that was opened last, which failed.
    private static func log(of file: OpaquePointer?) -> [Substring] {
        var log = [CChar](repeating: 0, count: 16 * 1024)
        sf_command(file, Int32(SFC_GET_LOG_INFO), &log, Int32(log.count))
        let text = String(
            decoding: log.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.split(separator: "\n")
    }

    /// That the file is truncated, from the line of the data chunk in libsndfile's log:
    /// `data : 4000 (should be 10)`. Programs that write to a pipe leave the largest size there.
    private static func truncation(of file: OpaquePointer) -> String? {
        for line in log(of: file) where line.hasPrefix("data : ") {
            let numbers = line.split { !$0.isNumber }.compactMap { Int64($0) }
            guard line.contains("(should be "), numbers.count == 2, numbers[0] > numbers[1],
                numbers[0] < UInt32.max
            else { continue }
            return "the file was cut off: of \(numbers[0]) bytes of samples there are "
                + "\(numbers[1])"
        }
        return nil
    }
}
