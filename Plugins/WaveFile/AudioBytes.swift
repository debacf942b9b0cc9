import CSndFile
import GreenroomPlugin
import GreenroomSystem
import SystemPackage

/// The bytes of an audio file, as libsndfile gets to read them.
///
/// Of WAV and AIFF, libsndfile reads every chunk, and follows the sizes that stand inside some of
/// them without bounds: one of 4 GiB less a few bytes leads it backwards, for ever (1.2.0, and its
/// source of 2026). So it reads a head made of the chunks that say the format, and after it the
/// samples; every other file as it is. One thread at a time.
final class AudioBytes {
    private let file: FileDescriptor
    /// The bytes before ``body``.
    private let head: [UInt8]
    /// The part of the file that follows.
    private let body: Range<Int64>
    private var position: Int64 = 0
    /// The chunks of a WAV or AIFF file; nil for other formats.
    let chunks: AudioChunks?

    /// - Throws: ``PluginError`` with the path, the reason and the fix.
    init(path: String) throws {
        file = try Self.regularFile(path)
        do {
            let length = try file.stat().size
            let start = Self.lengthOfTags(of: file)
            chunks = AudioChunks(of: file, from: start, length: length)
            head = chunks?.head ?? []
            body = chunks?.samples ?? 0..<max(0, length)
        } catch {
            try? file.close()
            throw PluginError("\(path): cannot read the file: \(error)", status: .badSetting)
        }
    }

    deinit { try? file.close() }

    private static func regularFile(_ path: String) throws -> FileDescriptor {
        let file: FileDescriptor
        do throws(Errno) {
            // Opening a pipe must not wait for its writer.
            file = try .reading(path, options: .nonBlocking)
        } catch {
            throw PluginError(
                "\(path): cannot open the file: \(error)", status: .badSetting)
        }
        guard (try? file.stat())?.type == .regular else {
            try? file.close()
            throw PluginError(
                "\(path): this is not a regular file; save the audio to a file on disk",
                status: .badSetting)
        }
        return file
    }

    /// The bytes of ID3v2 tags before the audio: ten with a length, which has 7 bits in each byte.
    private static func lengthOfTags(of file: FileDescriptor) -> Int64 {
        var length: Int64 = 0
        for _ in 0..<16 {
            guard let tag = file.part(10, at: length), tag.starts(with: "ID3".utf8) else { break }
            let hasFooter = tag[5] & 0x10 != 0
            length += tag[6..<10].reduce(0) { $0 << 7 | Int64($1 & 0x7f) } + (hasFooter ? 20 : 10)
        }
        return length
    }

    private var count: Int64 { Int64(head.count) + Int64(body.count) }

    /// Reads from the current position.
    ///
    /// - Returns: The number of bytes read; fewer only at the end, or where the file can't be read.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let fromHead = head.dropFirst(Int(clamping: position)).prefix(buffer.count)
        buffer.copyBytes(from: fromHead)
        position += Int64(fromHead.count)
        let place = position - Int64(head.count)
        let rest = buffer[fromHead.count...].prefix(Int(clamping: Int64(body.count) - place))
        let fromBody = file.fill(
            UnsafeMutableRawBufferPointer(rebasing: rest), at: body.lowerBound + place)
        position += Int64(fromBody)
        return fromHead.count + fromBody
    }

    /// Moves to a place, if there is such a place.
    private func seek(_ offset: Int64, from origin: Int32) -> Int64 {
        let base: Int64 =
            switch origin {
            case SEEK_SET: 0
            case SEEK_CUR: position
            default: count
            }
        let (place, overflow) = base.addingReportingOverflow(offset)
        if !overflow, (0...count).contains(place) { position = place }
        return position
    }

    /// Opens a file for libsndfile, which reads these bytes until it is closed.
    func open(_ info: inout SF_INFO) -> OpaquePointer? {
        position = 0
        var callbacks = SF_VIRTUAL_IO(
            get_filelen: { AudioBytes.from($0).count },
            seek: { AudioBytes.from($2).seek($0, from: $1) },
            read: { memory, count, bytes in
                Int64(
                    AudioBytes.from(bytes).read(
                        into: UnsafeMutableRawBufferPointer(
                            start: memory, count: Int(max(0, count)))))
            },
            write: { _, _, _ in 0 }, tell: { AudioBytes.from($0).position })
        return sf_open_virtual(
            &callbacks, Int32(SFM_READ), &info, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func from(_ bytes: UnsafeMutableRawPointer?) -> AudioBytes {
        // libsndfile passes on what open gave it.
        Unmanaged<AudioBytes>.fromOpaque(bytes.unsafelyUnwrapped).takeUnretainedValue()
    }
}
