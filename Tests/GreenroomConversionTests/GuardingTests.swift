import GreenroomConversion
import GreenroomMedia
import Testing

/// Frames with the layout for watching plugins.
@Suite struct GuardingTests {
    private static let page = 4096
    private static let slot = 1 << 20

    private static let sizes = [
        FrameSize(width: 64, height: 64), FrameSize(width: 65, height: 33),
        FrameSize(width: 1, height: 1), FrameSize(width: 321, height: 181),
    ]

    @Test(arguments: PixelFormat.uncompressed, [0, 64, 192])
    func `each plane of a guarded frame ends at a page's end, between unused pages`(
        format: PixelFormat, extra: Int
    ) throws {
        for size in Self.sizes {
            let arena = try Arena(Self.slot)
            let pool = FramePool(
                limit: 1, slotByteCount: Self.slot, memory: arena.memory, owner: arena,
                guarding: FrameGuarding(extraStrideBytes: extra))
            let frame = try takeFrame(pool, format, size)
            var free = 0
            for index in 0..<frame.planeCount {
                let plane = format.plane(index, of: size)
                let stride = frame.strideBytes(index)
                let start = frame.planeOffset(index)
                let end = start + stride * plane.rows
                #expect(stride == (plane.rowBytes + 63) / 64 * 64 + extra)
                #expect(start % 64 == 0)
                #expect(end % Self.page == 0)
                #expect(start / Self.page * Self.page - free >= Self.page)
                #expect(frame.byteCount(index) == plane.byteCount(stride: stride))
                free = end
            }
        }
    }

    @Test func `a guarded frame can be written and read`() throws {
        let arena = try Arena(Self.slot)
        let pool = FramePool(
            limit: 1, slotByteCount: Self.slot, memory: arena.memory, owner: arena,
            guarding: FrameGuarding(extraStrideBytes: 64))
        var frame = try takeFrame(pool, .i420, FrameSize(width: 33, height: 17))
        for index in 0..<3 { frame.fill(index) { _ in UInt8(index + 1) } }
        for index in 0..<3 {
            #expect(frame.visibleBytes(index).allSatisfy { $0 == index + 1 })
        }
    }

    @Test func `a guarded compressed frame has the usual layout`() throws {
        let arena = try Arena(Self.slot)
        let pool = FramePool(
            limit: 1, slotByteCount: Self.slot, memory: arena.memory, owner: arena,
            guarding: FrameGuarding())
        let frame = try takeFrame(
            pool, .mjpeg, FrameSize(width: 33, height: 17), compressedByteCount: 999)
        #expect(frame.planeOffset(0) == 0 && frame.byteCount(0) == 999)
    }
}
