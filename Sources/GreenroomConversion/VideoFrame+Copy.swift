internal import CLibYUV
internal import GreenroomMedia

extension VideoFrame {
    /// Copies a plane from memory that is not pooled, after checking that the source holds it.
    ///
    /// The reference must be the only one.
    ///
    /// - Parameters:
    ///   - index: The plane, 0 to ``planeCount`` − 1.
    ///   - source: Its first pixel; `byteCount` bytes are readable from there.
    ///   - strideBytes: From a row to the next in the source; of no meaning for a compressed
    ///     format.
    ///   - byteCount: The length of the source.
    /// - Throws: ``ConversionError/Code/badGeometry`` before a byte is read, where the stride is
    ///   shorter than a row or the source shorter than the plane.
    public mutating func copyPlane(
        _ index: Int, from source: UnsafeRawPointer, strideBytes: Int, byteCount: Int
    ) throws(ConversionError) {
        precondition(isUnique, "a shared frame must not be written: take another one")
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
                "plane \(index) of \(format) \(size) has a stride of \(strideBytes) bytes and "
                    + "needs at least \(plane.rowBytes)")
        }
        guard let needed = plane.byteCount(stride: strideBytes), byteCount >= needed else {
            throw .badGeometry(
                "plane \(index) of \(format) \(size) has \(byteCount) bytes and needs "
                    + "(rows - 1) * stride + row = \(plane.rows - 1) * \(strideBytes) + "
                    + "\(plane.rowBytes)")
        }
        CopyPlane(
            source.assumingMemoryBound(to: UInt8.self), Int32(strideBytes),
            destination.assumingMemoryBound(to: UInt8.self), Int32(self.strideBytes(index)),
            Int32(plane.rowBytes), Int32(plane.rows))
    }
}
