public import GreenroomMedia

// The same sends, from the memory that existing code has: arrays and pointers.

extension VideoSender {
    /// Sends a frame from an array: planes and rows follow each other without padding.
    ///
    /// - Parameters:
    ///   - bytes: The frame; for MJPEG the JPEG image.
    ///   - width: Pixels per row, before rotation.
    ///   - height: Rows.
    ///   - rotation: How far to turn it to see it upright.
    ///   - format: The pixel format. Chroma of 4:2:0 rounds up at odd sizes.
    ///   - color: Range and matrix.
    ///   - ptsNanoseconds: When it shows, on the session clock; nil for now.
    /// - Throws: Why the host refused the frame.
    public func sendVideoFrame(
        _ bytes: [UInt8], width: Int, height: Int, rotation: Rotation = .none,
        format: PixelFormat = .i420, color: ColorSpace = .bt601Limited,
        ptsNanoseconds: Int64? = nil
    ) throws(SendRefusal) {
        try sendVideoFrame(
            bytes.span.bytes, width: width, height: height, rotation: rotation, format: format,
            color: color, ptsNanoseconds: ptsNanoseconds)
    }

    /// Sends a frame from memory that a pointer leads to: planes and rows follow each other without
    /// padding.
    ///
    /// - Parameters:
    ///   - buffer: The frame, e.g. `UnsafeRawBufferPointer(start: pointer, count: length)`; it must
    ///     be readable until the call returns, and is not used after it.
    ///   - width: Pixels per row, before rotation.
    ///   - height: Rows.
    ///   - rotation: How far to turn it to see it upright.
    ///   - format: The pixel format. Chroma of 4:2:0 rounds up at odd sizes.
    ///   - color: Range and matrix.
    ///   - ptsNanoseconds: When it shows, on the session clock; nil for now.
    /// - Throws: Why the host refused the frame.
    public func sendVideoFrame(
        _ buffer: UnsafeRawBufferPointer, width: Int, height: Int, rotation: Rotation = .none,
        format: PixelFormat = .i420, color: ColorSpace = .bt601Limited,
        ptsNanoseconds: Int64? = nil
    ) throws(SendRefusal) {
        try sendVideoFrame(
            RawSpan(_unsafeBytes: buffer), width: width, height: height, rotation: rotation,
            format: format, color: color, ptsNanoseconds: ptsNanoseconds)
    }
}

extension AudioSender {
    /// Sends a block of audio from an array, and waits until there is room unless told otherwise.
    ///
    /// - Parameters:
    ///   - samples: 16-bit, channels interleaved; up to 100 ms.
    ///   - format: 8000 to 192000 Hz, one or two channels.
    ///   - ptsNanoseconds: When the first sample sounds, on the session clock; nil: right after the
    ///     previous block.
    ///   - timeout: How long to wait for room.
    /// - Throws: Why the host refused the block; it takes nothing of a refused block.
    public func send(
        _ samples: [Int16], format: AudioFormat, ptsNanoseconds: Int64? = nil,
        timeout: Timeout = .untilThereIsRoom
    ) throws(SendRefusal) {
        try send(
            samples.span, format: format, ptsNanoseconds: ptsNanoseconds, timeout: timeout)
    }

    /// Sends a block of audio from memory that a pointer leads to, and waits until there is room
    /// unless told otherwise.
    ///
    /// - Parameters:
    ///   - samples: 16-bit, channels interleaved; up to 100 ms. They must be readable until the call
    ///     returns, and are not used after it.
    ///   - format: 8000 to 192000 Hz, one or two channels.
    ///   - ptsNanoseconds: When the first sample sounds, on the session clock; nil: right after the
    ///     previous block.
    ///   - timeout: How long to wait for room.
    /// - Throws: Why the host refused the block; it takes nothing of a refused block.
    public func send(
        _ samples: UnsafeBufferPointer<Int16>, format: AudioFormat, ptsNanoseconds: Int64? = nil,
        timeout: Timeout = .untilThereIsRoom
    ) throws(SendRefusal) {
        try send(
            Span(_unsafeElements: samples), format: format, ptsNanoseconds: ptsNanoseconds,
            timeout: timeout)
    }
}
