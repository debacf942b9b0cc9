internal import CLibYUV
internal import GreenroomMedia

extension VideoFrame {
    /// Returns a copy in another pool; nil if the pool has no room.
    package borrowing func copy(into pool: FramePool) throws(ConversionError) -> VideoFrame? {
        guard var copy = pool.take(format, size, compressedByteCount: byteCount(0)) else {
            return nil
        }
        copy.info = info
        for index in 0..<planeCount {
            try copy.copyPlane(
                index, from: unsafePlanePointer(index), strideBytes: strideBytes(index),
                byteCount: byteCount(index))
        }
        return copy
    }

    /// Copies a plane from memory outside the pool, after checking its size.
    ///
    /// The reference must be unique.
    ///
    /// - Parameters:
    ///   - index: The plane, 0 to ``planeCount`` − 1.
    ///   - source: The plane's first pixel, followed by `byteCount` readable bytes.
    ///   - strideBytes: Stride of the source; ignored for a compressed format.
    ///   - byteCount: The length of the source.
    /// - Throws: ``ConversionError/Code/badGeometry``, before reading, if the stride is shorter
    ///   than a row or the source is shorter than the plane.
    public mutating func copyPlane(
        _ index: Int, from source: UnsafeRawPointer, strideBytes: Int, byteCount: Int
    ) throws(ConversionError) {
        precondition(isUnique, "cannot write to a shared frame; acquire a new frame")
        let destination = unsafePlanePointer(index)
        guard !format.isCompressed else {
            guard byteCount >= self.byteCount(index) else {
                throw .badGeometry(
                    "\(format) data has \(byteCount) bytes, the frame was taken for "
                        + "\(self.byteCount(index))")
            }
            destination.copyMemory(from: source, byteCount: self.byteCount(index))
            return
        }
        let plane = format.plane(index, of: size)
        guard strideBytes >= plane.rowBytes, strideBytes <= Int32.max else {
            throw .badGeometry(
                "plane \(index) of \(format) \(size) has a stride of \(strideBytes) bytes but "
                    + "needs at least \(plane.rowBytes)")
        }
        guard let needed = plane.byteCount(stride: strideBytes), byteCount >= needed else {
            throw .badGeometry(
                "plane \(index) of \(format) \(size) has \(byteCount) bytes but needs "
                    + "(rows - 1) * stride + row = \(plane.rows - 1) * \(strideBytes) + "
                    + "\(plane.rowBytes)")
        }
        CopyPlane(
            source.assumingMemoryBound(to: UInt8.self), Int32(strideBytes),
            destination.assumingMemoryBound(to: UInt8.self), Int32(self.strideBytes(index)),
            Int32(plane.rowBytes), Int32(plane.rows))
    }
}
