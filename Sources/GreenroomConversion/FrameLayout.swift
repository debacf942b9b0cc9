internal import GreenroomMedia

/// The positions of a pooled frame's planes in one block of memory.
///
/// Every row begins at a multiple of 64 bytes, the size of a cache line and of the widest vector,
/// so that libyuv uses its aligned paths and two planes never share a line.
struct FrameLayout: Equatable, Sendable {
    static let alignment = 64

    let strides: InlineArray<3, Int>
    let offsets: InlineArray<3, Int>
    /// The number of bytes of each plane, from the first pixel to the last.
    let byteCounts: InlineArray<3, Int>
    /// The number of bytes of the whole block.
    let totalByteCount: Int

    /// Computes a layout; nil for an illegal size, and for a compressed length of zero or above
    /// ``FramePool/maximumCompressedByteCount(of:)``.
    ///
    /// - Parameter guarding: The layout for watching plugins; nil for the compact layout.
    init?(
        format: PixelFormat, size: FrameSize, compressedByteCount: Int,
        guarding: FrameGuarding? = nil
    ) {
        guard size.isLegal else { return nil }
        var strides = InlineArray<3, Int>(repeating: 0)
        var offsets = InlineArray<3, Int>(repeating: 0)
        var byteCounts = InlineArray<3, Int>(repeating: 0)
        var end = 0
        if format.isCompressed {
            let lengths = 1...FramePool.maximumCompressedByteCount(of: size)
            guard lengths.contains(compressedByteCount) else { return nil }
            byteCounts[0] = compressedByteCount
            end = compressedByteCount
        } else {
            for index in 0..<format.planeCount {
                let plane = format.plane(index, of: size)
                let stride = Self.rounded(plane.rowBytes) + (guarding?.extraStrideBytes ?? 0)
                let planeByteCount = stride * plane.rows
                let offset = guarding?.offset(ofPlaneWith: planeByteCount, after: end) ?? end
                strides[index] = stride
                offsets[index] = offset
                byteCounts[index] = (plane.rows - 1) * stride + plane.rowBytes
                end = offset + planeByteCount
            }
            if guarding != nil { end += FrameSlot.pageByteCount }
        }
        self.strides = strides
        self.offsets = offsets
        self.byteCounts = byteCounts
        totalByteCount = Self.rounded(end)
    }

    static func == (left: FrameLayout, right: FrameLayout) -> Bool {
        left.totalByteCount == right.totalByteCount
            && (0..<3).allSatisfy {
                left.strides[$0] == right.strides[$0] && left.offsets[$0] == right.offsets[$0]
                    && left.byteCounts[$0] == right.byteCounts[$0]
            }
    }

    private static func rounded(_ byteCount: Int) -> Int {
        (byteCount + alignment - 1) / alignment * alignment
    }
}
