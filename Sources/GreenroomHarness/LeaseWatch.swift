package import GreenroomConversion
package import GreenroomMedia
import Synchronization

/// Watches a plugin's use of frame memory.
///
/// Before lending a frame, the watch fills its planes with one byte, and the rest of their pages
/// with another. If ``isClosed`` is true, the plugin's process can access only the pages of its
/// lent frames.
///
/// Threads: any.
package final class LeaseWatch: Sendable {
    /// A lent plane.
    package struct Plane: Equatable, Sendable {
        /// Offset of the plane's first byte in frame memory.
        package var offset: Int
        package var strideBytes: Int
        /// The number of bytes from the first to the last pixel.
        package var byteCount: Int

        package init(offset: Int, strideBytes: Int, byteCount: Int) {
            self.offset = offset
            self.strideBytes = strideBytes
            self.byteCount = byteCount
        }

        /// The plane's bytes in frame memory.
        package var bytes: Range<Int> { offset..<offset + byteCount }

        /// The plane's pages in frame memory.
        package var pages: Range<Int> {
            let page = 4096
            return offset / page * page..<(offset + byteCount + page - 1) / page * page
        }
    }

    /// A frame that is lent or was lent.
    package struct Lease: Equatable, Sendable {
        package var id: UInt64
        package var format: PixelFormat
        package var size: FrameSize
        package var planes: [Plane]
        /// The byte in the frame's planes when it was lent.
        package var filling: UInt8
        /// Whether the plugin still holds the frame.
        package var isHeld = true

        /// The byte around the frame's planes when it was lent.
        package var guardByte: UInt8 { ~filling }

        /// The distance in bytes from an offset to the lease's pages; 0 within or between planes.
        fileprivate func distance(of offset: Int) -> Int {
            let begin = planes.first?.pages.lowerBound ?? 0
            let end = planes.last?.pages.upperBound ?? 0
            return max(begin - offset, offset - end, 0)
        }
    }

    /// Overwritten bytes around a plane.
    package struct Spill: Equatable, Sendable {
        package var lease: Lease
        /// The plane's index.
        package var plane: Int
        /// The number of overwritten bytes.
        package var byteCount: Int
        /// Whether the bytes follow the plane.
        package var isAfter: Bool

        package init(lease: Lease, plane: Int, byteCount: Int, isAfter: Bool) {
            self.lease = lease
            self.plane = plane
            self.byteCount = byteCount
            self.isAfter = isAfter
        }
    }

    /// The bytes to fill frames with.
    package enum Filling: Sendable {
        /// Always the same byte.
        case same(UInt8)
        /// A different byte for each frame, starting with this one.
        case from(UInt8)
    }

    private struct State {
        /// The latest lease of each slot.
        var leases: [Int: Lease] = [:]
        var spill: Spill?
        var count = 0
        /// The addresses of the frames' memory in the plugin's process.
        var addresses: Range<UInt64> = 0..<0
    }

    /// The layout of the frames.
    package let guarding: FrameGuarding
    /// Whether access outside lent frames kills the plugin's process.
    package let isClosed: Bool
    private let filling: Filling
    private let state = Mutex(State())

    /// - Parameters:
    ///   - guarding: The layout of the frames.
    ///   - isClosed: Whether access outside lent frames kills the plugin's process.
    ///   - filling: The bytes to fill frames with.
    package init(guarding: FrameGuarding, isClosed: Bool, filling: Filling) {
        self.guarding = guarding
        self.isClosed = isClosed
        self.filling = filling
    }

    /// The latest lease of a slot; nil if the slot was never lent.
    package func lease(inSlot index: Int) -> Lease? { state.withLock { $0.leases[index] } }

    /// The lease nearest to a byte of frame memory; nil if no frame was lent.
    package func lease(near offset: Int) -> Lease? {
        state.withLock {
            $0.leases.values.min { $0.distance(of: offset) < $1.distance(of: offset) }
        }
    }

    /// The first overwrite around a plane; nil if none.
    package var spill: Spill? { state.withLock { $0.spill } }

    /// The number of lent frames.
    package var count: Int { state.withLock { $0.count } }

    /// Resets the leases for a new instance of the plugin.
    ///
    /// - Parameters:
    ///   - base: The address of frame memory in the plugin's process, as that process reports it; 0
    ///     if unknown.
    ///   - byteCount: The size of the memory.
    package func begin(base: UInt64, byteCount: Int) {
        let (end, overflow) = base.addingReportingOverflow(UInt64(max(byteCount, 0)))
        state.withLock { state in
            state.leases = [:]
            state.addresses = base == 0 || overflow ? 0..<0 : base..<end
        }
    }

    /// The offset in frame memory of an address in the plugin's process; nil if outside.
    package func offset(of address: UInt64) -> Int? {
        state.withLock { state in
            state.addresses.contains(address)
                ? Int(clamping: address - state.addresses.lowerBound) : nil
        }
    }

    /// The address of the frames' memory in the plugin's process; 0 if unknown.
    package var base: UInt64 { state.withLock { $0.addresses.lowerBound } }

    /// Records a frame about to be lent.
    ///
    /// - Parameter slot: The frame's index in the pool.
    package func lend(
        _ id: UInt64, _ format: PixelFormat, _ size: FrameSize, planes: [Plane], slot: Int
    ) -> Lease {
        state.withLock { state in
            let filling =
                switch filling {
                case .same(let byte): byte
                // The step is odd, so that a byte repeats only after 256 frames.
                case .from(let byte): byte &+ UInt8(truncatingIfNeeded: state.count) &* 37
                }
            let lease = Lease(
                id: id, format: format, size: size, planes: planes, filling: filling)
            state.count += 1
            state.leases[slot] = lease
            return lease
        }
    }

    /// Records a returned frame.
    ///
    /// - Returns: The frame's lease; nil if the frame is not lent.
    package func takeBack(_ id: UInt64) -> Lease? {
        state.withLock { state in
            let found = state.leases.first { $0.value.id == id && $0.value.isHeld }
            guard let slot = found?.key else { return nil }
            state.leases[slot]?.isHeld = false
            return state.leases[slot]
        }
    }

    /// Records overwritten bytes around a plane. Keeps only the first record.
    package func note(_ spill: Spill) {
        state.withLock { if $0.spill == nil { $0.spill = spill } }
    }
}
