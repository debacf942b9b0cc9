public import GreenroomMedia

/// A frame in the host's memory, to read and write.
///
/// A ``Camera`` fills it, a ``VideoSourcePreProcessor`` edits it, and a ``VideoLease`` contains it. Rows
/// are spans: an index beyond the end of a row traps, and never touches foreign memory.
///
/// Sizes may be odd: chroma of 4:2:0 rounds up. Rows may be padded: write row by row, or use
/// ``strideBytes(ofPlane:)``.
public struct MutableFrame: ~Copyable {
    /// The pixel format.
    public let format: PixelFormat
    /// The visible size, in pixels, before rotation.
    public let size: FrameSize
    /// Rotation, colour, offer revision and timestamp, as received for a frame to edit, and as sent for a
    /// frame to fill.
    public internal(set) var info: FrameInfo

    let planes: InlineArray<3, MutablePlane>

    /// Pixels per row.
    public var width: Int { size.width }
    /// Rows of pixels.
    public var height: Int { size.height }
    /// The number of planes, 1 to 3.
    public var planeCount: Int { format.planeCount }

    /// Bytes from one row of a plane to the next; 0 for a plane that the format does not have.
    public func strideBytes(ofPlane plane: Int) -> Int {
        indices.contains(plane) ? planes[plane].stride : 0
    }

    /// The pixel bytes per row and the rows of a plane; zero for a plane that the format does not
    /// have.
    public func geometry(ofPlane plane: Int) -> PlaneGeometry {
        indices.contains(plane) ? planes[plane].geometry : PlaneGeometry(rowBytes: 0, rows: 0)
    }

    /// Of all planes; those that the format does not have are empty.
    var indices: Range<Int> { 0..<planes.count }
}

/// A plane in foreign memory, checked when the frame was taken over.
struct MutablePlane {
    var start: UnsafeMutableRawPointer?
    var byteCount: Int
    var stride: Int
    var geometry: PlaneGeometry

    static var none: MutablePlane {
        MutablePlane(
            start: nil, byteCount: 0, stride: 0, geometry: PlaneGeometry(rowBytes: 0, rows: 0))
    }
}

// The holder of the frame has the only reference to its memory: it cannot be copied, and the host
// leaves the memory alone between handing it out and taking it back.
extension MutableFrame: @unchecked Sendable {}
