extension MutableFrame {
    /// Passes the planes of a frame at once, padding between rows included; planes that the format
    /// does not have are empty.
    ///
    /// - Parameter body: Receives the bytes of planes 0, 1 and 2.
    /// - Throws: Rethrows the error of the body.
    public mutating func withPlanes<Failure: Error>(
        _ body: (
            _ first: inout MutableRawSpan, _ second: inout MutableRawSpan,
            _ third: inout MutableRawSpan
        ) throws(Failure) -> Void
    ) throws(Failure) {
        // The host lends planes that do not overlap, and the three spans end with this call.
        func bytes(_ plane: Int) -> UnsafeMutableRawBufferPointer {
            UnsafeMutableRawBufferPointer(
                start: planes[plane].start, count: planes[plane].byteCount)
        }
        var first = MutableRawSpan(_unsafeBytes: bytes(0))
        var second = MutableRawSpan(_unsafeBytes: bytes(1))
        var third = MutableRawSpan(_unsafeBytes: bytes(2))
        try body(&first, &second, &third)
    }
}
