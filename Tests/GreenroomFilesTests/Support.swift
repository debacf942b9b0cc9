import CSndFile
import Glibc
import TestSupport

func byteCount(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : -1
}

/// A sound file as libsndfile reads it: independent of the code that writes.
struct AudioFile {
    let sampleRate: Int
    let channels: Int
    let frameCount: Int64
    /// Interleaved, from the frame that was asked for on.
    let samples: [Int16]
    /// Whether the sizes in the file's header are those of its content.
    let isConsistent: Bool

    init(_ path: String, from frame: Int64 = 0) throws {
        var info = SF_INFO()
        guard let file = sf_open(path, Int32(SFM_READ), &info) else {
            throw Failure("\(path): \(String(cString: sf_strerror(nil)))")
        }
        defer { sf_close(file) }
        sampleRate = Int(info.samplerate)
        channels = Int(info.channels)
        frameCount = info.frames
        guard sf_seek(file, frame, Int32(SF_SEEK_SET)) == frame else {
            throw Failure("\(path): there is no frame \(frame)")
        }
        let count = Int(info.frames - frame) * channels
        var samples = [Int16](repeating: -1, count: count)
        guard sf_read_short(file, &samples, sf_count_t(count)) == count else {
            throw Failure("\(path): \(String(cString: sf_strerror(file)))")
        }
        self.samples = samples
        var log = [CChar](repeating: 0, count: 16 * 1024)
        sf_command(file, Int32(SFC_GET_LOG_INFO), &log, Int32(log.count))
        isConsistent = !String(
            decoding: log.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self
        ).contains("should be")
    }
}
