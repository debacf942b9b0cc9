import GreenroomConversion
import GreenroomMedia
import Testing

/// Reproducible bytes (xorshift).
struct Noise {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9e37_79b9_7f4a_7c15 | 1 }

    mutating func next() -> UInt8 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state >> 24)
    }

    /// A number below a bound.
    mutating func next(below bound: Int) -> Int {
        (Int(next()) << 16 | Int(next()) << 8 | Int(next())) % bound
    }
}

extension PixelFormat {
    static let uncompressed = allCases.filter { !$0.isCompressed }
    /// The possible results of conversions.
    static let makeable: [PixelFormat] = [
        .i420, .nv12, .nv21, .yuy2, .uyvy, .bgra, .rgba, .bgrx, .rgbx, .rgb24,
    ]
}

extension ColorSpace {
    static let all: [ColorSpace] = [.bt601Limited, .bt601Full, .bt709Limited, .bt709Full]
}

/// Takes a frame, or fails the test.
func takeFrame(
    _ pool: FramePool, _ format: PixelFormat, _ size: FrameSize, info: FrameInfo = FrameInfo(),
    compressedByteCount: Int = 0
) throws -> VideoFrame {
    guard var frame = pool.take(format, size, compressedByteCount: compressedByteCount) else {
        throw TestFailure(text: "the pool has no \(format) \(size)")
    }
    frame.info = info
    return frame
}

struct TestFailure: Error {
    var text: String
}

extension VideoFrame {
    /// Writes every byte of a plane, padding included.
    mutating func fill(_ plane: Int, _ byte: (_ offset: Int) -> UInt8) {
        var span = mutablePlane(plane)
        for offset in 0..<span.byteCount {
            span.storeBytes(of: byte(offset), toByteOffset: offset, as: UInt8.self)
        }
    }

    /// Fills the frame with noise, and the space between the rows with other noise.
    mutating func fillWithNoise(seed: Int, paddingSeed: Int = 0) {
        var noise = Noise(seed)
        var padding = Noise(paddingSeed)
        for index in 0..<planeCount {
            let stride = strideBytes(index)
            let rowBytes = format.isCompressed ? 0 : format.plane(index, of: size).rowBytes
            fill(index) { $0 % stride < rowBytes ? noise.next() : padding.next() }
        }
        if format == .i010 { clearUpperBits() }
    }

    /// Makes 10-bit samples of 16-bit ones.
    private mutating func clearUpperBits() {
        for index in 0..<planeCount {
            var span = mutablePlane(index)
            for offset in stride(from: 1, to: span.byteCount, by: 2) {
                let byte = span.bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
                span.storeBytes(of: byte & 3, toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    /// The bytes of a plane, row by row without padding.
    func visibleBytes(_ index: Int) -> [UInt8] {
        let plane = format.plane(index, of: size)
        let span = self.plane(index)
        return (0..<plane.rows).flatMap { row in
            (0..<plane.rowBytes).map {
                span.unsafeLoad(fromByteOffset: row * strideBytes(index) + $0, as: UInt8.self)
            }
        }
    }

    /// The visible bytes of all planes.
    var visibleBytes: [UInt8] { (0..<planeCount).flatMap { visibleBytes($0) } }

    /// The bytes between the rows of all planes.
    var paddingBytes: [UInt8] {
        (0..<planeCount).flatMap { index -> [UInt8] in
            let rowBytes = format.plane(index, of: size).rowBytes
            let span = plane(index)
            return (0..<span.byteCount).filter { $0 % strideBytes(index) >= rowBytes }.map {
                span.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
            }
        }
    }
}
