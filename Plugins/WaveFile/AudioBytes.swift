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
    /// What comes before ``body``.
    private let head: [UInt8]
    /// The part of the file that follows.
    private let body: Range<Int64>
    private var position: Int64 = 0
    /// How many bytes of samples there are, and how many there should be; nil for a whole file.
    let truncation: (present: Int64, said: Int64)?
    /// Whether the samples are in several places.
    let isSplit: Bool
    /// What the chunks that are not handed on have.
    let markerCount: Int
    let hasLoops: Bool

    /// - Throws: ``PluginError`` with the path, the reason and the cure.
    init(path: String) throws {
        file = try Self.regularFile(path)
        do {
            let length = try file.stat().size
            let start = Self.lengthOfTags(of: file)
            if let chunks = AudioChunks(of: file, from: start, length: length) {
                (head, body) = (chunks.head, chunks.samples)
                (truncation, isSplit) = (chunks.truncation, chunks.isSplit)
                (markerCount, hasLoops) = (chunks.markerCount, chunks.hasLoops)
            } else {
                (head, body, truncation, isSplit) = ([], 0..<max(0, length), nil, false)
                (markerCount, hasLoops) = (0, false)
            }
        } catch {
            try? file.close()
            throw PluginError("\(path): the file can't be read: \(error)", status: .unavailable)
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
                "\(path): the file can't be opened: \(error)", status: .unavailable)
        }
        guard (try? file.stat())?.type == .regular else {
            try? file.close()
            throw PluginError(
                "\(path): this is not a regular file; save the audio to a file on disk",
                status: .unavailable)
        }
        return file
    }

    /// The bytes of ID3v2 tags before the audio: ten with a length, which has 7 bits in each byte.
    private static func lengthOfTags(of file: FileDescriptor) -> Int64 {
        var length: Int64 = 0
        for _ in 0..<16 {
            var tag = [UInt8](repeating: 0, count: 10)
            let read = try? tag.withUnsafeMutableBytes {
                try file.read(fromAbsoluteOffset: length, into: $0)
            }
            guard read == tag.count, tag.starts(with: "ID3".utf8) else { break }
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
        var done = 0
        while done < buffer.count, position < count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let read: Int
            if position < Int64(head.count) {
                let part = head[Int(position)...].prefix(rest.count)
                rest.copyBytes(from: part)
                read = part.count
            } else {
                let part = rest.prefix(Int(min(Int64(rest.count), count - position)))
                read =
                    (try? file.read(
                        fromAbsoluteOffset: body.lowerBound + position - Int64(head.count),
                        into: UnsafeMutableRawBufferPointer(rebasing: part))) ?? 0
            }
            guard read > 0 else { break }
            done += read
            position += Int64(read)
        }
        return done
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
