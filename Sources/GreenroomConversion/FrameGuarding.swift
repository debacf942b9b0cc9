/// The layout of a pool's frames for watching the accesses of plugins.
///
/// Each plane ends at the end of a page, including the padding of its last row, with at least one
/// whole unused page before and after it. Rows begin at multiples of 64 bytes, as in any pool.
package struct FrameGuarding: Equatable, Sendable {
    /// The number of bytes added to the minimum stride: a multiple of 64.
    package var extraStrideBytes: Int

    package init(extraStrideBytes: Int = 0) {
        precondition(
            extraStrideBytes >= 0 && extraStrideBytes % FrameLayout.alignment == 0,
            "rows begin at multiples of \(FrameLayout.alignment) bytes")
        self.extraStrideBytes = extraStrideBytes
    }

    /// Returns the offset of a plane after another plane's end.
    func offset(ofPlaneWith byteCount: Int, after end: Int) -> Int {
        let page = FrameSlot.pageByteCount
        let pages = (byteCount + page - 1) / page + 1
        return (end + page - 1) / page * page + pages * page - byteCount
    }
}
