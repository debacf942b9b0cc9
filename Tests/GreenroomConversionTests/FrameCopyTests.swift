import GreenroomConversion
import GreenroomMedia
import Testing

@Suite struct FrameCopyTests {
    /// The bytes of a plane at a stride, of minimum length.
    private static func source(_ plane: PlaneGeometry, stride: Int) throws -> [UInt8] {
        var noise = Noise(stride)
        let count = try #require(plane.byteCount(stride: stride))
        return (0..<count).map { _ in noise.next() }
    }

    @Test(arguments: PixelFormat.uncompressed)
    func `rows are copied from any stride`(format: PixelFormat) throws {
        let pool = FramePool(limit: 1)
        for size in ["1x1", "3x5", "17x9", "64x48"].compactMap({ FrameSize($0) }) {
            for padding in [0, 1, 7, 64] {
                var frame = try takeFrame(pool, format, size)
                for index in 0..<format.planeCount {
                    let plane = format.plane(index, of: size)
                    let stride = plane.rowBytes + padding
                    let bytes = try Self.source(plane, stride: stride)
                    frame.fill(index) { _ in 0xa5 }
                    try bytes.withUnsafeBytes {
                        let base = try #require($0.baseAddress)
                        try frame.copyPlane(
                            index, from: base, strideBytes: stride, byteCount: $0.count)
                    }
                    let expected = (0..<plane.rows).flatMap { row in
                        bytes[(row * stride)..<(row * stride + plane.rowBytes)]
                    }
                    #expect(frame.visibleBytes(index) == expected)
                }
                #expect(frame.paddingBytes.allSatisfy { $0 == 0xa5 })
            }
        }
    }

    @Test(arguments: PixelFormat.uncompressed)
    func `a source that is one byte too short is refused without reading`(format: PixelFormat)
        throws
    {
        let size = FrameSize(width: 17, height: 9)
        var frame = try takeFrame(FramePool(limit: 1), format, size)
        for index in 0..<format.planeCount {
            let plane = format.plane(index, of: size)
            frame.fill(index) { _ in 0xa5 }
            var bytes = try Self.source(plane, stride: plane.rowBytes)
            bytes.removeLast()
            let error = #expect(throws: ConversionError.self) {
                try bytes.withUnsafeBytes {
                    let base = try #require($0.baseAddress)
                    try frame.copyPlane(
                        index, from: base, strideBytes: plane.rowBytes, byteCount: $0.count)
                }
            }
            #expect(error?.code == .badGeometry)
            #expect(error?.description.contains("17x9") == true)
            #expect(frame.visibleBytes(index).allSatisfy { $0 == 0xa5 })
        }
    }

    @Test(arguments: [0, 16, -17, Int.max, Int.min])
    func `an impossible stride is refused`(stride: Int) throws {
        var frame = try takeFrame(FramePool(limit: 1), .i420, FrameSize(width: 17, height: 9))
        let bytes = [UInt8](repeating: 0, count: 4096)
        let error = #expect(throws: ConversionError.self) {
            try bytes.withUnsafeBytes {
                let base = try #require($0.baseAddress)
                try frame.copyPlane(0, from: base, strideBytes: stride, byteCount: $0.count)
            }
        }
        #expect(error?.code == .badGeometry)
    }

    @Test func `compressed data is copied whole and checked for length`() throws {
        let bytes = (0..<100).map { UInt8($0) }
        var frame = try takeFrame(
            FramePool(limit: 1), .mjpeg, FrameSize(width: 16, height: 16),
            compressedByteCount: bytes.count)
        try bytes.withUnsafeBytes {
            let base = try #require($0.baseAddress)
            try frame.copyPlane(0, from: base, strideBytes: 0, byteCount: 100)
            let error = #expect(throws: ConversionError.self) {
                try frame.copyPlane(0, from: base, strideBytes: 0, byteCount: 99)
            }
            #expect(error?.code == .badGeometry)
        }
        let span = frame.plane(0)
        #expect((0..<100).allSatisfy { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) == $0 })
    }
}
