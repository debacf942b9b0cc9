public import GreenroomMedia
internal import Synchronization

/// A bounded pool of frames whose memory is used again and again.
///
/// Frames of any format and size come out of one pool. Memory is allocated while the pool
/// warms up, and again when frames grow; from then on ``take(_:_:compressedByteCount:)`` and
/// giving back allocate nothing. A frame may outlive its pool.
///
/// Threads: any, at once. Giving back is one atomic subtraction; taking holds a lock for a
/// search among at most `limit` slots.
public final class FramePool: Sendable {
    /// The most frames alive at once.
    public let limit: Int

    private let slots: [FrameSlot]
    /// How often memory was allocated. Its lock also makes takers wait for each other.
    private let allocations = Mutex(0)

    /// Makes an empty pool.
    ///
    /// - Parameter limit: The most frames alive at once, at least 1.
    public init(limit: Int) {
        self.limit = max(limit, 1)
        slots = (0..<self.limit).map { _ in FrameSlot() }
    }

    /// How often memory was allocated: constant in steady state.
    public var allocationCount: Int { allocations.withLock { $0 } }

    /// Frames alive now; another thread may change it at any time.
    public var aliveCount: Int { slots.count { !$0.isFree } }

    /// The longest compressed picture that a frame may hold, in bytes: that of the same
    /// picture uncompressed, and 1 MiB for whatever a camera puts into its headers.
    public static func maximumCompressedByteCount(of size: FrameSize) -> Int {
        4 * size.area + (1 << 20)
    }

    /// Takes a frame, its pixels undefined and its info the default.
    ///
    /// - Parameters:
    ///   - format: The layout of its pixels.
    ///   - size: The visible size, before any rotation.
    ///   - compressedByteCount: For a compressed format the bytes it will hold, else ignored.
    /// - Returns: nil where `limit` frames are alive, the size is illegal, the compressed
    ///   length is zero or beyond ``maximumCompressedByteCount(of:)``, or memory has run out.
    public func take(
        _ format: PixelFormat, _ size: FrameSize, compressedByteCount: Int = 0
    ) -> VideoFrame? {
        guard
            let layout = FrameLayout(
                format: format, size: size, compressedByteCount: compressedByteCount),
            let slot = takeSlot(byteCount: layout.totalByteCount)
        else { return nil }
        return VideoFrame(slot: slot.slot, memory: slot.memory, format, size, layout)
    }

    /// The best slot is the smallest that is large enough; then one that has no memory yet;
    /// then the largest, which grows: so that sizes that alternate end in a steady state.
    private func takeSlot(
        byteCount: Int
    ) -> (slot: FrameSlot, memory: UnsafeMutableRawPointer)? {
        allocations.withLock { allocationCount in
            var best: FrameSlot?
            for slot in slots where slot.isFree {
                guard let other = best else {
                    best = slot
                    continue
                }
                if Self.prefers(slot.capacity, to: other.capacity, for: byteCount) { best = slot }
            }
            guard let best else { return nil }
            if best.capacity < byteCount {
                guard best.allocate(byteCount: byteCount) else { return nil }
                allocationCount += 1
            }
            guard let memory = best.memory else { return nil }
            best.occupy()
            return (best, memory)
        }
    }

    private static func prefers(_ one: Int, to other: Int, for byteCount: Int) -> Bool {
        switch (one >= byteCount, other >= byteCount) {
        case (true, true): one < other
        case (true, false): true
        case (false, true): false
        case (false, false): other != 0 && (one == 0 || one > other)
        }
    }
}
