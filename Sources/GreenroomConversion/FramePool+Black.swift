public import GreenroomMedia

extension FramePool {
    /// Takes a black frame: luma 16 in limited range and 0 in full range, neutral chroma, or red,
    /// green and blue of 0.
    ///
    /// - Parameters:
    ///   - format: The layout of the frame's pixels.
    ///   - size: The visible size.
    ///   - range: The range of YUV values; ignored for RGB formats, which are full.
    /// - Returns: nil if ``take(_:_:compressedByteCount:)`` returns nil, and for a compressed
    ///   format.
    public func takeBlack(
        _ format: PixelFormat, _ size: FrameSize, _ range: ColorRange
    ) -> VideoFrame? {
        guard !format.isCompressed, var frame = take(format, size) else { return nil }
        frame.info.color.range = format.isRGB ? .full : range
        UnsafeFrame(frame).fillBlack(range)
        return frame
    }
}
