import Glibc
import TestSupport

/// A WAV file of 16-bit PCM, read independently of the product.
package struct WAVRecording {
    package var sampleRate: Int
    /// The samples of each channel, -32768 to 32767.
    package var channels: [[Double]]
    /// `"RIFF"`, or `"RF64"` for a file that may exceed 4 GiB.
    package var container: String
    /// The length in the header minus the file's length; 0 in a valid file.
    package var headerExcessBytes: Int

    package var frameCount: Int { channels.first?.count ?? 0 }
    package var seconds: Double { Double(frameCount) / Double(sampleRate) }

    package init(_ path: String) throws {
        let bytes = try readFile(path)
        func number(_ offset: Int, _ count: Int) throws -> Int {
            guard offset >= 0, offset + count <= bytes.count else {
                throw Failure("\(path) ends within its header")
            }
            return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        func name(_ offset: Int) throws -> String {
            guard offset + 4 <= bytes.count else { throw Failure("\(path) ends within its header") }
            return String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
        }
        container = try name(0)
        guard ["RIFF", "RF64"].contains(container), try name(8) == "WAVE" else {
            throw Failure("\(path) is no WAV file")
        }
        var riffSize = try number(4, 4)
        var largeDataSize = 0
        var format: (channels: Int, rate: Int)?
        var offset = 12
        while offset + 8 <= bytes.count {
            let id = try name(offset)
            var size = try number(offset + 4, 4)
            let content = offset + 8
            switch id {
            case "ds64":
                riffSize = try number(content, 8)
                largeDataSize = try number(content + 8, 8)
            case "fmt ":
                let tag = try number(content, 2)
                guard tag == 1 || tag == 0xfffe, try number(content + 14, 2) == 16 else {
                    throw Failure("\(path) is not 16-bit PCM")
                }
                format = (try number(content + 2, 2), try number(content + 4, 4))
            case "data":
                guard let format, format.channels > 0 else {
                    throw Failure("\(path) has data before its format")
                }
                if container == "RF64", size == 0xffff_ffff { size = largeDataSize }
                guard content + size <= bytes.count else {
                    throw Failure(
                        "\(path) says that it has \(size) bytes of sound, and ends after "
                            + "\(bytes.count - content)")
                }
                let frames = size / (2 * format.channels)
                sampleRate = format.rate
                channels = bytes.samples(
                    at: content, channels: format.channels, frames: frames)
                headerExcessBytes = riffSize + 8 - bytes.count
                return
            default: break
            }
            offset = content + size + size % 2
        }
        throw Failure("\(path) has no data")
    }

    /// The offset of the samples in a file that is too large to be read completely.
    ///
    /// - Parameter head: Its first bytes.
    package static func dataOffset(_ head: Slice<UnsafeRawBufferPointer>, _ path: String) throws
        -> Int
    {
        let name = Array("data".utf8)
        guard
            let chunk = head.indices.dropLast(8).first(where: {
                head[$0..<$0 + 4].elementsEqual(name)
            })
        else { throw Failure("\(path) has no data in its first \(head.count) bytes") }
        return chunk + 8
    }
}
