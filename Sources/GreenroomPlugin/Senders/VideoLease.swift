public import GreenroomMedia

/// A frame of the host's pool to fill, which the host sends without a copy.
///
/// Its initial content is undefined. ``commit(_:)`` sends it. ``abandon()`` returns it unsent, as dropping
/// it does. A lease can't be copied, and its use after either call does not compile.
public struct VideoLease: ~Copyable, Sendable {
    private let sender: VideoSender
    private let id: UInt64
    private let revision: UInt32
    private var isOpen = true
    var frame: MutableFrame

    init(sender: VideoSender, id: UInt64, revision: UInt32, frame: consuming MutableFrame) {
        self.revision = revision
        self.sender = sender
        self.id = id
        self.frame = frame
    }

    deinit {
        if isOpen { sender.table.abandon(id) }
    }

    /// The pixel format.
    public var format: PixelFormat { frame.format }
    /// The visible size in pixels, before rotation.
    public var size: FrameSize { frame.size }

    /// Bytes from one row of a plane to the next; 0 for a plane that the format does not have.
    public func strideBytes(ofPlane plane: Int) -> Int { frame.strideBytes(ofPlane: plane) }

    /// All bytes of a plane, padding between rows included; empty for a plane that the format does
    /// not have.
    @_lifetime(&self)
    public mutating func plane(_ plane: Int) -> MutableRawSpan { frame.plane(plane) }

    /// The pixel bytes of a row; empty for a row or plane that the frame does not have.
    @_lifetime(&self)
    public mutating func row(_ row: Int, ofPlane plane: Int = 0) -> MutableSpan<UInt8> {
        frame.row(row, ofPlane: plane)
    }

    /// Sets every pixel byte of a plane.
    public mutating func fill(plane: Int, with value: UInt8) {
        frame.fill(plane: plane, with: value)
    }

    /// Sends the frame. The lease ends, even when the host refuses the frame.
    ///
    /// - Parameter info: Rotation, colour, offer revision and timestamp. Revision 0 means the current offer
    ///   at `acquire`.
    /// - Throws: The host's refusal.
    public consuming func commit(_ info: FrameInfo = FrameInfo()) throws(SendRefusal) {
        isOpen = false
        try sender.table.commit(id, info, revision: revision)
    }

    /// Returns the frame unsent.
    public consuming func abandon() {}
}
