public import GreenroomMedia

/// A frame for an ``Output``, to read.
///
/// The frame is upright, in the wanted format and size, and valid until ``Output/onVideo(_:)`` returns.
/// ``keep()`` returns a frame that outlives the callback. Rows are spans: an index beyond the end of a
/// row traps, and never touches foreign memory.
///
/// Sizes may be odd: chroma of 4:2:0 rounds up. Rows may be padded: read row by row, or use
/// ``strideBytes(ofPlane:)``.
public struct OutputFrame: ~Copyable {
    /// The origin of a frame's pixels.
    public enum Content: UInt32, CaseIterable, Sendable {
        /// A new frame of the source.
        case new = 1
        /// The previous frame again.
        case repeated = 2
        /// Black: before the first frame, or while the camera is stopped.
        case black = 3
        /// A slate of the host: the source was lost.
        case slate = 4
    }

    /// The track of the frame.
    public let track: Track
    /// The pixel format.
    public let format: PixelFormat
    /// The size in pixels.
    public let size: FrameSize
    /// The colour space of its values.
    public let color: ColorSpace
    /// The origin of its pixels.
    public let content: Content
    /// The number of successive periods that show the frame, at least 1. A period is one frame interval of
    /// the wanted rate.
    public let periods: Int
    /// The index of the first period, from 0 at the start of the track.
    public let index: Int64
    /// The beginning of that period on the session clock.
    public let timeNanoseconds: Int64

    private let planes: InlineArray<3, ReadablePlane>
    private let id: UInt64
    private let lender: FrameLender
    /// The lender's, when it was lent.
    private let term: UInt64
    private let isKept: Bool

    init(
        track: Track, content: Content, periods: Int, index: Int64, timeNanoseconds: Int64,
        memory: ReadableMemory, id: UInt64, lender: FrameLender
    ) {
        self.track = track
        self.content = content
        self.periods = periods
        self.index = index
        self.timeNanoseconds = timeNanoseconds
        format = memory.format
        size = memory.size
        color = memory.color
        planes = memory.planes
        self.id = id
        self.lender = lender
        term = lender.term
        isKept = false
    }

    private init(keeping frame: borrowing OutputFrame) {
        track = frame.track
        content = frame.content
        periods = frame.periods
        index = frame.index
        timeNanoseconds = frame.timeNanoseconds
        format = frame.format
        size = frame.size
        color = frame.color
        planes = frame.planes
        id = frame.id
        lender = frame.lender
        term = frame.term
        isKept = true
    }

    deinit {
        if isKept { lender.release(id) }
    }

    /// Keeps the frame beyond the callback, without a copy, until you drop the returned frame.
    ///
    /// An output may keep 8 frames at a time, each once. Drop them before ``Output/onStop()`` returns: later
    /// their rows and planes are empty.
    ///
    /// - Returns: The same frame, for any thread.
    /// - Throws: `Status.noBuffer` above 8 frames, and `Status.badLease` for a frame that was kept before.
    public func keep() throws(SendRefusal) -> OutputFrame {
        guard !isKept else { throw .keptBefore }
        try lender.keep(id)
        return OutputFrame(keeping: self)
    }
}

// A frame is read-only, even for the host while it is lent. A kept one is released once, by the only
// value that has it: it can't be copied.
extension OutputFrame: @unchecked Sendable {}

extension OutputFrame {
    /// Pixels per row.
    public var width: Int { size.width }
    /// Rows of pixels.
    public var height: Int { size.height }
    /// The number of planes, 1 to 3.
    public var planeCount: Int { format.planeCount }

    /// Bytes from one row of a plane to the next; 0 for a plane that the format does not have.
    public func strideBytes(ofPlane plane: Int) -> Int { self[plane].stride }

    /// The pixel bytes per row and the rows of a plane; zero for a plane that the format does not
    /// have.
    public func geometry(ofPlane plane: Int) -> PlaneGeometry {
        self[plane].geometry
    }

    /// All bytes of a plane, padding between rows included; empty for a plane that the format does
    /// not have.
    @_lifetime(borrow self)
    public func plane(_ plane: Int) -> RawSpan {
        let memory = readable(plane)
        let bytes = UnsafeRawBufferPointer(start: memory.start, count: memory.byteCount)
        return unsafe _overrideLifetime(RawSpan(_unsafeBytes: bytes), borrowing: self)
    }

    /// The pixel bytes of a row; empty for a row or plane that the frame does not have.
    ///
    /// - Parameters:
    ///   - row: The row of the plane, from 0 at the top.
    ///   - plane: The plane, from 0.
    @_lifetime(borrow self)
    public func row(_ row: Int, ofPlane plane: Int = 0) -> Span<UInt8> {
        let bytes = bytes(ofRow: row, plane)
        return unsafe _overrideLifetime(Span(_unsafeElements: bytes), borrowing: self)
    }

    private func bytes(ofRow row: Int, _ plane: Int) -> UnsafeBufferPointer<UInt8> {
        let memory = readable(plane)
        guard (0..<memory.geometry.rows).contains(row), let start = memory.start else {
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        // The product fits: the last row was checked to lie within the plane.
        return UnsafeBufferPointer(
            start: (start + row * memory.stride).assumingMemoryBound(to: UInt8.self),
            count: memory.geometry.rowBytes)
    }

    /// A plane; empty if the format does not have it.
    private subscript(plane: Int) -> ReadablePlane {
        (0..<planes.count).contains(plane) ? planes[plane] : .none
    }

    /// A plane that is still lent.
    private func readable(_ plane: Int) -> ReadablePlane {
        lender.term == term ? self[plane] : .none
    }
}

/// The pixels of a frame in foreign memory, checked when the frame was taken over.
struct ReadableMemory {
    var format: PixelFormat
    var size: FrameSize
    var color: ColorSpace
    var planes: InlineArray<3, ReadablePlane>
}

/// A plane in foreign memory.
struct ReadablePlane {
    var start: UnsafeRawPointer?
    var byteCount: Int
    var stride: Int
    var geometry: PlaneGeometry

    static var none: ReadablePlane {
        ReadablePlane(
            start: nil, byteCount: 0, stride: 0, geometry: PlaneGeometry(rowBytes: 0, rows: 0))
    }
}
