package import GreenroomConversion
package import GreenroomMedia
import Synchronization

/// Watches what a plugin does to the memory that it is lent for its frames.
///
/// Whoever lends a frame fills it before the plugin gets it: the planes with a byte, and what lies
/// around them, in the same pages, with another. If frames are closed, pages beyond those can't be
/// touched by the plugin's process, nor can those of a frame that it does not have.
///
/// Threads: any.
package final class LeaseWatch: Sendable {
    /// A plane that is lent.
    package struct Plane: Equatable, Sendable {
        /// Its first byte, from the beginning of the frames' memory.
        package var offset: Int
        package var strideBytes: Int
        /// From the first pixel to the last.
        package var byteCount: Int

        package init(offset: Int, strideBytes: Int, byteCount: Int) {
            self.offset = offset
            self.strideBytes = strideBytes
            self.byteCount = byteCount
        }

        /// Its bytes, in the frames' memory.
        package var bytes: Range<Int> { offset..<offset + byteCount }

        /// The pages that it lies in, in the frames' memory.
        package var pages: Range<Int> {
            let page = 4096
            return offset / page * page..<(offset + byteCount + page - 1) / page * page
        }
    }

    /// A frame that is or was lent.
    package struct Lease: Equatable, Sendable {
        package var id: UInt64
        package var format: PixelFormat
        package var size: FrameSize
        package var planes: [Plane]
        /// What its planes were filled with.
        package var filling: UInt8
        /// Whether the plugin has it still.
        package var isOut = true

        /// What was put around its planes.
        package var edging: UInt8 { ~filling }

        /// How far a byte of the frames' memory is from its pages; 0 within them and between them.
        fileprivate func distance(of offset: Int) -> Int {
            let begin = planes.first?.pages.lowerBound ?? 0
            let end = planes.last?.pages.upperBound ?? 0
            return max(begin - offset, offset - end, 0)
        }
    }

    /// Bytes around a plane that have been written.
    package struct Spill: Equatable, Sendable {
        package var lease: Lease
        /// The plane's number.
        package var plane: Int
        /// How many there are.
        package var byteCount: Int
        /// Whether they lie after the plane.
        package var isAfter: Bool

        package init(lease: Lease, plane: Int, byteCount: Int, isAfter: Bool) {
            self.lease = lease
            self.plane = plane
            self.byteCount = byteCount
            self.isAfter = isAfter
        }
    }

    /// What frames are filled with before they are lent.
    package enum Filling: Sendable {
        /// The same byte each time.
        case same(UInt8)
        /// Another byte each time, from one on.
        case from(UInt8)
    }

    private struct State {
        /// The newest lease of each slot.
        var leases: [Int: Lease] = [:]
        var spill: Spill?
        var count = 0
        /// The frames' memory, among the addresses of the plugin's process.
        var addresses: Range<UInt64> = 0..<0
    }

    /// How frames lie.
    package let guarding: FrameGuarding
    /// Whether whoever touches what is not lent is killed.
    package let isClosed: Bool
    private let filling: Filling
    private let state = Mutex(State())

    /// - Parameters:
    ///   - guarding: How frames lie.
    ///   - isClosed: Whether whoever touches what is not lent is killed.
    ///   - filling: What frames are filled with.
    package init(guarding: FrameGuarding, isClosed: Bool, filling: Filling) {
        self.guarding = guarding
        self.isClosed = isClosed
        self.filling = filling
    }

    /// What the newest lease in a slot of the pool is or was; nil if there was none.
    package func lease(inSlot index: Int) -> Lease? { state.withLock { $0.leases[index] } }

    /// The lease that is nearest to a byte of the frames' memory; nil if there was none.
    package func lease(near offset: Int) -> Lease? {
        state.withLock {
            $0.leases.values.min { $0.distance(of: offset) < $1.distance(of: offset) }
        }
    }

    /// The first bytes around a plane that were seen to be written.
    package var spill: Spill? { state.withLock { $0.spill } }

    /// How many frames were lent.
    package var count: Int { state.withLock { $0.count } }

    /// Begins a life of the plugin, which has been lent nothing yet.
    ///
    /// - Parameters:
    ///   - base: Where the frames' memory begins in the plugin's process, as that process says; 0 if
    ///     it does not say.
    ///   - byteCount: The length of the memory.
    package func begin(base: UInt64, byteCount: Int) {
        let (end, overflow) = base.addingReportingOverflow(UInt64(max(byteCount, 0)))
        state.withLock { state in
            state.leases = [:]
            state.addresses = base == 0 || overflow ? 0..<0 : base..<end
        }
    }

    /// How far an address of the plugin's process is from the beginning of the frames' memory; nil
    /// if it is not in there.
    package func offset(of address: UInt64) -> Int? {
        state.withLock { state in
            state.addresses.contains(address)
                ? Int(clamping: address - state.addresses.lowerBound) : nil
        }
    }

    /// Where the frames' memory begins in the plugin's process; 0 if that is not known.
    package var base: UInt64 { state.withLock { $0.addresses.lowerBound } }

    /// Takes note of a frame that is about to be lent.
    ///
    /// - Parameter slot: Its place in the pool.
    package func lend(
        _ id: UInt64, _ format: PixelFormat, _ size: FrameSize, planes: [Plane], slot: Int
    ) -> Lease {
        state.withLock { state in
            let filling =
                switch filling {
                case .same(let byte): byte
                // An odd step: a byte comes again after 256 frames only.
                case .from(let byte): byte &+ UInt8(truncatingIfNeeded: state.count) &* 37
                }
            let lease = Lease(
                id: id, format: format, size: size, planes: planes, filling: filling)
            state.count += 1
            state.leases[slot] = lease
            return lease
        }
    }

    /// Takes note that a frame is given back.
    ///
    /// - Returns: What it was lent as; nil if it is not lent.
    package func takeBack(_ id: UInt64) -> Lease? {
        state.withLock { state in
            let found = state.leases.first { $0.value.id == id && $0.value.isOut }
            guard let slot = found?.key else { return nil }
            state.leases[slot]?.isOut = false
            return state.leases[slot]
        }
    }

    /// Takes note of bytes around a plane that were written.
    package func note(_ spill: Spill) {
        state.withLock { if $0.spill == nil { $0.spill = spill } }
    }
}
