public import GreenroomMedia

/// Sends the frames of a video or share source.
///
/// Use it from any thread, and keep it as long as you like: after uninitialize it answers
/// `Status.gone`. There are three ways to send: a frame of your own memory as
/// one buffer, ``sendVideoFrame(_:width:height:dataLength:rotation:format:color:ptsNanoseconds:)``,
/// or as planes with strides, ``send(format:size:planes:info:)``, both copied once; or drawn
/// straight into the host's memory, ``acquire(format:size:)``. None of them waits.
public struct VideoSender: Sendable {
    let table: VideoSenderTable

    /// The host that gave the sender, with its clock.
    public var host: PluginHost { PluginHost(table: table.host) }

    /// The revision of the last offer; within `onPropertyChange` that of the new one.
    public var offerRevision: UInt32 { table.offeredRevision }

    /// Borrows a frame of the host's pool.
    ///
    /// - Parameters:
    ///   - format: Any but MJPEG.
    ///   - size: The size of the pixels, before rotation.
    /// - Throws: Why there is none now: `Status.noBuffer` passes.
    public func acquire(
        format: PixelFormat, size: FrameSize
    ) throws(SendRefusal) -> VideoLease {
        try table.acquire(format, size, for: self)
    }

    /// Sends a frame that lies in one buffer, its planes and rows one after the other without
    /// padding, as the call vendors' senders take it. For MJPEG the buffer is the JPEG image.
    ///
    /// - Parameters:
    ///   - buffer: The frame; free again on return. An array's is `bytes.span.bytes`.
    ///   - width: Pixels in a row, before rotation.
    ///   - height: Rows.
    ///   - dataLength: How many bytes of the buffer are the frame; all unless said.
    ///   - rotation: How to turn it upright.
    ///   - format: The layout. Chroma of 4:2:0 rounds up at odd sizes, so a frame may be more
    ///     than `width * height * 3 / 2` bytes.
    ///   - color: Range and matrix.
    ///   - ptsNanoseconds: When it shows, on the session clock; nil for now.
    /// - Throws: Why the host did not take it.
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

    /// Sends a frame whose planes lie anywhere, with any stride.
    ///
    /// - Parameters:
    ///   - format: The layout.
    ///   - size: The size of the pixels, before rotation.
    ///   - planes: As many as the format has; they are free again on return.
    ///   - info: What the frame says of itself. An offer revision of 0 stands for the offer
    ///     that now applies.
    /// - Throws: Why the host did not take it.
    public func send(
        format: PixelFormat, size: FrameSize, planes: FramePlanes, info: FrameInfo = FrameInfo()
    ) throws(SendRefusal) {
        try table.send(planes, format, size, info)
    }
}

/// The planes of a frame in the plugin's own memory, one to three of them.
public struct FramePlanes: ~Escapable {
    let first: Plane
    let second: Plane
    let third: Plane
    let count: Int

    /// A plane to read.
    public struct Plane: ~Escapable {
        let bytes: RawSpan
        let strideBytes: Int

        /// A plane.
        ///
        /// - Parameters:
        ///   - bytes: Its rows; the last one needs no padding.
        ///   - strideBytes: From one row to the next.
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
