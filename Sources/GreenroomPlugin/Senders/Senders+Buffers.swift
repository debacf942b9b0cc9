public import GreenroomMedia

// The same sends, from the memory that existing code has: arrays and pointers.

extension VideoSender {
    /// Sends a frame from an array: planes and rows follow each other without padding.
    ///
    /// - Parameters:
    ///   - bytes: The frame; for MJPEG the JPEG image.
    ///   - width: Pixels per row, before rotation.
    ///   - height: Rows.
    ///   - rotation: The clockwise turn that makes the frame upright.
    ///   - format: The pixel format. Chroma of 4:2:0 rounds up at odd sizes.
    ///   - color: Range and matrix.
    ///   - ptsNanoseconds: The time at which it shows, on the session clock; nil for now.
    /// - Throws: The host's refusal.
    public func sendVideoFrame(
        _ bytes: [UInt8], width: Int, height: Int, rotation: Rotation = .none,
        format: PixelFormat = .i420, color: ColorSpace = .bt601Limited,
        ptsNanoseconds: Int64? = nil
    ) throws(SendRefusal) {
        try sendVideoFrame(
            bytes.span.bytes, width: width, height: height, rotation: rotation, format: format,
            color: color, ptsNanoseconds: ptsNanoseconds)
    }

    /// Sends a frame from a buffer pointer: planes and rows follow each other without padding.
    ///
    /// - Parameters:
    ///   - buffer: The frame, e.g. `UnsafeRawBufferPointer(start: pointer, count: length)`, readable until
    ///     the call returns.
    ///   - width: Pixels per row, before rotation.
    ///   - height: Rows.
    ///   - rotation: The clockwise turn that makes the frame upright.
    ///   - format: The pixel format. Chroma of 4:2:0 rounds up at odd sizes.
    ///   - color: Range and matrix.
    ///   - ptsNanoseconds: The time at which it shows, on the session clock; nil for now.
    /// - Throws: The host's refusal.
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
    /// Sends a block of audio from an array, and waits for room by default.
    ///
    /// - Parameters:
    ///   - samples: 16-bit, channels interleaved; up to 100 ms.
    ///   - format: 8000 to 192000 Hz, one or two channels.
    ///   - ptsNanoseconds: The time of the first sample on the session clock; nil: right after the previous
    ///     block.
    ///   - timeout: The longest wait for room.
    /// - Throws: The host's refusal; it takes nothing of a refused block.
    public func send(
        _ samples: [Int16], format: AudioFormat, ptsNanoseconds: Int64? = nil,
        timeout: Timeout = .untilThereIsRoom
    ) throws(SendRefusal) {
        try send(
            samples.span, format: format, ptsNanoseconds: ptsNanoseconds, timeout: timeout)
    }

    /// Sends a block of audio from a buffer pointer, and waits for room by default.
    ///
    /// - Parameters:
    ///   - samples: 16-bit, channels interleaved; up to 100 ms, readable until the call returns.
    ///   - format: 8000 to 192000 Hz, one or two channels.
    ///   - ptsNanoseconds: The time of the first sample on the session clock; nil: right after the previous
    ///     block.
    ///   - timeout: The longest wait for room.
    /// - Throws: The host's refusal; it takes nothing of a refused block.
    public func send(
        _ samples: UnsafeBufferPointer<Int16>, format: AudioFormat, ptsNanoseconds: Int64? = nil,
        timeout: Timeout = .untilThereIsRoom
    ) throws(SendRefusal) {
        try send(
            Span(_unsafeElements: samples), format: format, ptsNanoseconds: ptsNanoseconds,
            timeout: timeout)
    }
}
