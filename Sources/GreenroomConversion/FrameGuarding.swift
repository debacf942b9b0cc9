/// How the frames of a pool lie that plugins are watched with.
///
/// Each plane ends where a page ends, the padding of its last row included, and at least one whole
/// page lies before and after it that belongs to no plane. Rows begin at multiples of 64 bytes as
/// in any pool.
package struct FrameGuarding: Equatable, Sendable {
    /// How much longer than need be strides are, in bytes: a multiple of 64.
    package var extraStrideBytes: Int

    package init(extraStrideBytes: Int = 0) {
        precondition(
            extraStrideBytes >= 0 && extraStrideBytes % FrameLayout.alignment == 0,
            "rows begin at multiples of \(FrameLayout.alignment) bytes")
        self.extraStrideBytes = extraStrideBytes
    }

    /// Where a plane begins that follows what ends at an offset.
    func offset(ofPlaneWith byteCount: Int, after end: Int) -> Int {
        let page = FrameSlot.pageByteCount
        let pages = (byteCount + page - 1) / page + 1
        return (end + page - 1) / page * page + pages * page - byteCount
    }
}
