internal import GreenroomMedia

/// The pixels of a frame, or of a part of a frame, as arguments for C.
///
/// The value is valid while the frame is alive. It is made and used within one conversion.
struct UnsafeFrame {
    let format: PixelFormat
    let size: FrameSize
    /// The first byte of each plane; missing planes repeat the first.
    private(set) var planes: InlineArray<3, UnsafeMutablePointer<UInt8>>
    let strides: InlineArray<3, Int32>

    init(_ frame: borrowing VideoFrame) {
        format = frame.format
        size = frame.size
        let first = frame.unsafePlanePointer(0).assumingMemoryBound(to: UInt8.self)
        planes = InlineArray(repeating: first)
        var strides = InlineArray<3, Int32>(repeating: 0)
        for index in 0..<frame.planeCount {
            planes[index] = frame.unsafePlanePointer(index).assumingMemoryBound(to: UInt8.self)
            strides[index] = Int32(frame.strideBytes(index))
        }
        self.strides = strides
    }

    private init(_ whole: UnsafeFrame, size: FrameSize) {
        format = whole.format
        self.size = size
        planes = whole.planes
        strides = whole.strides
    }

    /// Returns a part of the image. The part's corner must have even coordinates, and the part must
    /// lie within the image.
    func part(_ rect: PixelRect) -> UnsafeFrame {
        var part = UnsafeFrame(self, size: rect.size)
        let origin = FrameSize(width: rect.x, height: rect.y)
        for index in 0..<format.planeCount {
            // The bytes and rows before the corner are those of an image of the origin's size.
            let before = format.plane(index, of: origin)
            part.planes[index] += before.rows * Int(strides[index]) + before.rowBytes
        }
        return part
    }

    /// Returns rows of the image, from an even row on.
    func rows(_ rows: Range<Int>) -> UnsafeFrame {
        part(
            PixelRect(
                x: 0, y: rows.lowerBound, size: FrameSize(width: size.width, height: rows.count)))
    }

    /// Returns the image that contains these rows, from an even row on. Only these rows may be read
    /// or written.
    ///
    /// - Parameter size: The size of the containing image.
    func asRows(from row: Int, of size: FrameSize) -> UnsafeFrame {
        var whole = UnsafeFrame(self, size: size)
        for index in 0..<format.planeCount {
            let before = format.plane(index, of: FrameSize(width: 0, height: row)).rows
            whole.planes[index] -= before * Int(strides[index])
        }
        return whole
    }

    var width: Int32 { Int32(size.width) }
    var height: Int32 { Int32(size.height) }
    var chromaSize: FrameSize { size.chroma }

    /// The number of bytes with pixels.
    var byteCount: Int { format.packedByteCount(of: size) }

    func row(_ y: Int, ofPlane index: Int) -> UnsafeMutablePointer<UInt8> {
        planes[index] + y * Int(strides[index])
    }
}
