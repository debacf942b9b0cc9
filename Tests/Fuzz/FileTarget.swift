import Glibc
import GreenroomFiles
import PluginImages
import GreenroomMedia
import RoomDecisions

@testable import WaveFile

/// Media files, and frames that were encoded elsewhere.
enum FileTarget {
    /// A file in memory that has the bytes of an input.
    private static let file: Int32 = {
        var name = Array("/dev/shm/greenroom-fuzz-XXXXXX".utf8CString)
        let file = mkstemp(&name)
        unlink(name)
        return file
    }()
    private static let path = "/proc/self/fd/\(file)"

    private static func write(_ bytes: [UInt8]) {
        ftruncate(file, 0)
        pwrite(file, bytes, bytes.count, 0)
    }

    static func y4m(_ bytes: [UInt8]) {
        write(bytes)
        guard var reader = try? Y4MReader(path: path) else { return }
        let size = reader.format.size
        guard size.width * size.height <= 1 << 20 else { return }
        let (luma, chroma) = (size.width, (size.width + 1) / 2)
        var y = [UInt8](repeating: 0, count: luma * size.height)
        var u = [UInt8](repeating: 0, count: chroma * ((size.height + 1) / 2))
        var v = u
        for frame in 0..<min(reader.frameCount, 3) {
            var yPlane = y.mutableSpan
            var uPlane = u.mutableSpan
            var vPlane = v.mutableSpan
            var yBytes = yPlane.mutableBytes
            var uBytes = uPlane.mutableBytes
            var vBytes = vPlane.mutableBytes
            _ = try? reader.readFrame(
                frame, y: &yBytes, yStride: luma, u: &uBytes, uStride: chroma, v: &vBytes,
                vStride: chroma)
        }
    }

    static func sound(_ bytes: [UInt8]) {
        write(bytes)
        guard var file = try? AudioFile(path: path) else { return }
        var samples = [Int16](repeating: 0, count: 4096)
        for _ in 0..<4 {
            var span = samples.mutableSpan
            guard let count = try? file.read(into: &span), count > 0 else { return }
        }
        file.seek(toFrame: file.frameCount / 2)
        var span = samples.mutableSpan
        _ = try? file.read(into: &span)
    }

    static func image(_ bytes: [UInt8]) {
        write(bytes)
        guard let image = try? Image(contentsOf: path, fitting: FrameSize(width: 160, height: 90))
        else { return }
        _ = image.letterboxed(into: FrameSize(width: 160, height: 90))
    }

    /// What a guest sends of VP8 and H.264, before it is decoded.
    static func keyFrame(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer {
            _ = VP8KeyFrame($0)
            _ = H264Headers($0)
        }
    }
}
