import GreenroomConversion
import GreenroomMedia
import Testing

@Suite struct FramePoolTests {
    private static let size = FrameSize(width: 33, height: 17)

    /// Whether the pool can provide such a frame, which is released at once.
    private func isGiven(
        _ pool: FramePool, _ format: PixelFormat, _ size: FrameSize, compressedByteCount: Int = 0
    ) -> Bool {
        switch pool.take(format, size, compressedByteCount: compressedByteCount) {
        case .some: true
        case .none: false
        }
    }

    @Test(arguments: PixelFormat.uncompressed)
    func `a frame has the planes of its format in aligned rows`(format: PixelFormat) throws {
        let frame = try takeFrame(FramePool(limit: 1), format, Self.size)
        #expect(frame.planeCount == format.planeCount)
        for index in 0..<frame.planeCount {
            let plane = format.plane(index, of: Self.size)
            #expect(frame.strideBytes(index) % 64 == 0)
            #expect(frame.strideBytes(index) >= plane.rowBytes)
            #expect(Int(bitPattern: frame.unsafePlanePointer(index)) % 64 == 0)
            #expect(
                frame.plane(index).byteCount == plane.byteCount(stride: frame.strideBytes(index)))
        }
        #expect(frame.info == FrameInfo())
    }

    @Test func `a compressed frame has the length of its data`() throws {
        let pool = FramePool(limit: 1)
        let frame = try takeFrame(pool, .mjpeg, Self.size, compressedByteCount: 1000)
        #expect(frame.plane(0).byteCount == 1000)
        #expect(frame.strideBytes(0) == 0)
    }

    @Test func `planes do not overlap`() throws {
        for format in PixelFormat.uncompressed {
            var frame = try takeFrame(FramePool(limit: 1), format, Self.size)
            for index in 0..<frame.planeCount { frame.fill(index) { _ in UInt8(index + 1) } }
            for index in 0..<frame.planeCount {
                #expect(frame.visibleBytes(index).allSatisfy { $0 == index + 1 })
                #expect(frame.paddingBytes.allSatisfy { (1...3).contains($0) })
            }
        }
    }

    /// A source may commit a lease that it has not filled.
    @Test func `a pool's new memory is zero, even if the process has used it before`() throws {
        for _ in 0..<10 {
            // A small frame, in memory that the process uses again and again.
            var frame = try takeFrame(FramePool(limit: 1), .i420, Self.size)
            for index in 0..<frame.planeCount {
                #expect(frame.visibleBytes(index).allSatisfy { $0 == 0 })
                frame.fill(index) { _ in 0xA5 }
            }
        }
    }

    @Test func `impossible frames are refused`() {
        let pool = FramePool(limit: 9)
        func isRefused(_ format: PixelFormat, _ width: Int, _ height: Int, _ count: Int) -> Bool {
            let size = FrameSize(width: width, height: height)
            return !isGiven(pool, format, size, compressedByteCount: count)
        }
        #expect(isRefused(.i420, 0, 1, 0))
        #expect(isRefused(.i420, 1, 0, 0))
        #expect(isRefused(.i420, -4, 4, 0))
        #expect(isRefused(.bgra, 8193, 1, 0))
        #expect(isRefused(.mjpeg, 16, 16, 0))
        #expect(isRefused(.mjpeg, 16, 16, -1))
        let most = FramePool.maximumCompressedByteCount(of: FrameSize(width: 16, height: 16))
        #expect(isRefused(.mjpeg, 16, 16, most + 1))
        #expect(!isRefused(.mjpeg, 16, 16, most))
    }

    @Test
    func `a pool gives out no more frames than its limit, and a released frame makes room`() throws
    {
        let pool = FramePool(limit: 2)
        let first = try takeFrame(pool, .i420, Self.size)
        do {
            let second = try takeFrame(pool, .i420, Self.size)
            #expect(!isGiven(pool, .i420, Self.size))
            #expect(pool.aliveCount == 2)
            _ = second
        }
        #expect(pool.aliveCount == 1)
        _ = try takeFrame(pool, .i420, Self.size)
        _ = first
    }

    @Test func `a frame's memory returns to the pool with the last reference`() throws {
        let pool = FramePool(limit: 1)
        var frame = try takeFrame(pool, .i420, Self.size)
        frame.info.offerRevision = 1
        frame.fill(0) { _ in 42 }
        do {
            var other = frame.share()
            other.info.offerRevision = 2
            #expect(!frame.isUnique && !other.isUnique)
            #expect(frame.info.offerRevision == 1)
            #expect(other.unsafePlanePointer(0) == frame.unsafePlanePointer(0))
        }
        #expect(frame.isUnique == true)
        #expect(frame.plane(0).unsafeLoad(as: UInt8.self) == 42)
        #expect(pool.aliveCount == 1)
        _ = consume frame
        #expect(pool.aliveCount == 0)
    }

    @Test func `a frame outlives its pool`() throws {
        var frame = try {
            let pool = FramePool(limit: 1)
            return try takeFrame(pool, .i420, Self.size)
        }()
        frame.fill(0) { UInt8(truncatingIfNeeded: $0) }
        #expect(frame.plane(0).unsafeLoad(fromByteOffset: 9, as: UInt8.self) == 9)
    }

    @Test func `memory is reused for alternating formats and sizes`() throws {
        let pool = FramePool(limit: 3)
        func useOnce() throws {
            let small = try takeFrame(pool, .nv12, Self.size)
            let large = try takeFrame(pool, .bgra, FrameSize(width: 320, height: 180))
            let odd = try takeFrame(pool, .rgb24, FrameSize(width: 101, height: 77))
            _ = (small.planeCount, large.planeCount, odd.planeCount)
            _ = consume large
            _ = try takeFrame(pool, .i420, FrameSize(width: 320, height: 180))
        }
        for _ in 0..<4 { try useOnce() }
        let allocations = pool.allocationCount
        for _ in 0..<100 { try useOnce() }
        #expect(pool.allocationCount == allocations)
        #expect(allocations >= 3)
    }

    @Test func `frames of concurrent threads never share memory`() async {
        let pool = FramePool(limit: 6)
        await withTaskGroup(of: Int.self) { group in
            for task in 1...4 {
                group.addTask {
                    var taken = 0
                    for _ in 0..<300 {
                        guard var frame = pool.take(.i420, FrameSize(width: 64, height: 4)) else {
                            continue
                        }
                        taken += 1
                        frame.fill(0) { _ in UInt8(task) }
                        let other = frame.share()
                        _ = consume frame
                        let bytes = other.visibleBytes(0)
                        #expect(bytes.allSatisfy { $0 == task })
                    }
                    return taken
                }
            }
            for await taken in group { #expect(taken == 300) }
        }
        #expect(pool.aliveCount == 0)
        #expect(pool.allocationCount <= 6)
    }

    @Test func `writing a shared frame traps`() async {
        await #expect(processExitsWith: .failure) {
            var frame = try takeFrame(
                FramePool(limit: 1), .i420, FrameSize(width: 2, height: 2))
            let other = frame.share()
            frame.fill(0) { _ in 0 }
            _ = other.isUnique
        }
    }
}
