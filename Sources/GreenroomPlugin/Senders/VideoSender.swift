public import GreenroomMedia

/// Sends the frames of a video or share source.
///
/// Use it from any thread, for as long as the process lives: after uninitialize it returns
/// `Status.gone`. None of its functions waits. There are three ways to send a frame:
///
/// - from your own memory as one buffer, with one copy:
///   ``sendVideoFrame(_:width:height:dataLength:rotation:format:color:ptsNanoseconds:)``
/// - from your own memory as planes with strides, with one copy: ``send(format:size:planes:info:)``
/// - drawn directly into the host's memory, without a copy: ``acquire(format:size:)``
public struct VideoSender: Sendable {
    let table: VideoSenderTable

    /// The host that made the sender, with its clock.
    public var host: PluginHost { PluginHost(table: table.host) }

    /// The revision of the last offer; inside `onPropertyChange` of the new offer.
    public var offerRevision: UInt32 { table.offeredRevision }

    /// Leases a frame of the host's pool.
    ///
    /// - Parameters:
    ///   - format: Any but MJPEG.
    ///   - size: The size of the pixels, before rotation.
    /// - Throws: The host's refusal; after `Status.noBuffer` try again later.
    public func acquire(
        format: PixelFormat, size: FrameSize
    ) throws(SendRefusal) -> VideoLease {
        try table.acquire(format, size, for: self)
    }

    /// Sends a frame from one buffer: its planes and rows follow each other without padding, as in
    /// the call vendors' SDKs. For MJPEG the buffer is the JPEG image.
    ///
    /// - Parameters:
    ///   - buffer: The frame; not used after the call. An array's is `bytes.span.bytes`.
    ///   - width: Pixels per row, before rotation.
    ///   - height: Rows.
    ///   - dataLength: The length of the frame in the buffer, in bytes; all by default.
    ///   - rotation: The clockwise turn that makes the frame upright.
    ///   - format: The pixel format. Chroma of 4:2:0 rounds up at odd sizes, so a frame may have
    ///     more than `width * height * 3 / 2` bytes.
    ///   - color: Range and matrix.
    ///   - ptsNanoseconds: The time at which it shows, on the session clock; nil for now.
    /// - Throws: The host's refusal.
    public func sendVideoFrame(
        _ buffer: RawSpan, width: Int, height: Int, dataLength: Int? = nil,
        rotation: Rotation = .none, format: PixelFormat = .i420,
        color: ColorSpace = .bt601Limited, ptsNanoseconds: Int64? = nil
    ) throws(SendRefusal) {
        let bytes = buffer.extracting(first: max(dataLength ?? buffer.byteCount, 0))
        let size = FrameSize(width: width, height: height)
        let info = FrameInfo(rotation: rotation, color: color, ptsNanoseconds: ptsNanoseconds)
        try table.send(packed: bytes, format, size, info)
    }

    /// Sends a frame from planes in any places and with any strides.
    ///
    /// - Parameters:
    ///   - format: The pixel format.
    ///   - size: The size of the pixels, before rotation.
    ///   - planes: As many as the format has; not used after the call.
    ///   - info: Rotation, colour, offer revision and timestamp. Revision 0 means the current offer.
    /// - Throws: The host's refusal.
    public func send(
        format: PixelFormat, size: FrameSize, planes: FramePlanes, info: FrameInfo = FrameInfo()
    ) throws(SendRefusal) {
        try table.send(planes, format, size, info)
    }
}

/// The planes of a frame in the plugin's memory, one to three.
public struct FramePlanes: ~Escapable {
    let first: Plane
    let second: Plane
    let third: Plane
    let count: Int

    /// One plane.
    public struct Plane: ~Escapable {
        let bytes: RawSpan
        let strideBytes: Int

        /// Creates a plane.
        ///
        /// - Parameters:
        /// - bytes: The rows. The last row needs no padding.
        ///   - strideBytes: Bytes from one row to the next.
        @_lifetime(copy bytes)
        public init(_ bytes: RawSpan, strideBytes: Int) {
            self.bytes = bytes
            self.strideBytes = strideBytes
        }
    }

    /// The one plane of a packed format.
    @_lifetime(copy plane)
    public init(_ plane: Plane) {
        first = plane
        second = plane
        third = plane
        count = 1
    }

    /// Luma and interleaved chroma.
    @_lifetime(copy luma, copy chroma)
    public init(_ luma: Plane, _ chroma: Plane) {
        first = luma
        second = chroma
        third = chroma
        count = 2
    }

    /// Y, U and V.
    @_lifetime(copy y, copy u, copy v)
    public init(y: Plane, u: Plane, v: Plane) {
        first = y
        second = u
        third = v
        count = 3
    }
}
