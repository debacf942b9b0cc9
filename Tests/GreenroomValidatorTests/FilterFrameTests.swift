import Glibc
import GreenroomConversion
import GreenroomHarness
import GreenroomMedia
import Testing

@testable import GreenroomValidator

/// Frames for filters, and detection of writes outside them.
@Suite struct FilterFrameTests {
    /// Memory for guarded frames.
    private final class Memory: Sendable {
        /// Safe: its address never changes, and each test has its own.
        nonisolated(unsafe) let base: UnsafeMutableRawPointer
        static let byteCount = 1 << 22

        init() { base = .allocate(byteCount: Self.byteCount, alignment: 4096) }
        deinit { base.deallocate() }
    }

    private func withFrame(
        _ size: FrameSize, extraStride: Int = 0, _ body: (inout VideoFrame) -> Void
    ) throws {
        let memory = Memory()
        let pool = FramePool(
            limit: 1, slotByteCount: Memory.byteCount, memory: memory.base, owner: memory,
            guarding: FrameGuarding(extraStrideBytes: extraStride))
        guard var frame = pool.take(.i420, size) else {
            Issue.record("no frame")
            return
        }
        body(&frame)
    }

    private let picture = FilterFrame(.noise, SeededRandom(1))

    @Test(arguments: ["640x360", "641x361", "127x95", "2x2", "1x1"], [0, 64])
    func `an untouched frame has no spill`(size: String, extraStride: Int) throws {
        try withFrame(try #require(FrameSize(size)), extraStride: extraStride) { frame in
            picture.fill(&frame, padding: 0x5A)
            #expect(FilterSpill.first(in: frame, padding: 0x5A) == nil)
            let digest = frame.digest
            picture.fill(&frame, padding: 0xA5)
            #expect(frame.digest == digest)
        }
    }

    @Test(arguments: [
        (row: 0, offset: 640, FilterSpill.Place.padding(row: 0)),
        (row: 7, offset: 703, .padding(row: 7)), (row: 359, offset: 640, .after),
        (row: 0, offset: -1, .before),
    ])
    func `a write outside the visible bytes is detected`(
        row: Int, offset: Int, place: FilterSpill.Place
    ) throws {
        try withFrame(FrameSize(width: 640, height: 360), extraStride: 64) { frame in
            for plane in 0..<3 {
                picture.fill(&frame, padding: 0x5A)
                let isLuma = plane == 0
                let row = isLuma ? row : row == 359 ? 179 : row
                let offset = isLuma || offset < 0 ? offset : offset - 320
                let byte = frame.unsafePlanePointer(plane) + row * frame.strideBytes(plane) + offset
                byte.storeBytes(of: 0x5B, as: UInt8.self)
                let place: FilterSpill.Place =
                    if case .padding = place { .padding(row: row) } else { place }
                #expect(
                    FilterSpill.first(in: frame, padding: 0x5A)
                        == FilterSpill(plane: plane, place: place, byteCount: 1))
            }
        }
    }

    @Test(arguments: FilterFrame.Content.allCases)
    func `test pictures stay within limited range`(content: FilterFrame.Content) throws {
        try withFrame(FrameSize(width: 640, height: 360)) { frame in
            FilterFrame(content, SeededRandom(2)).fill(&frame, padding: 0)
            for plane in 0..<3 {
                let bytes = frame.plane(plane)
                let range: ClosedRange<UInt8> = plane == 0 ? 16...235 : 16...240
                for y in 0..<(plane == 0 ? 360 : 180) {
                    let start = y * frame.strideBytes(plane)
                    for x in 0..<(plane == 0 ? 640 : 320) {
                        guard range.contains(bytes.byte(start + x)) else {
                            Issue.record("plane \(plane), \(x), \(y): \(bytes.byte(start + x))")
                            return
                        }
                    }
                }
            }
        }
    }

    @Test func `frames of a moving picture differ`() throws {
        try withFrame(FrameSize(width: 640, height: 360)) { frame in
            picture.fill(&frame, padding: nil, number: 0)
            let first = frame.digest
            picture.fill(&frame, padding: nil, number: 1)
            #expect(frame.digest != first)
        }
    }
}
