import GreenroomABI
package import GreenroomConversion
import GreenroomPluginInterface
import GreenroomMedia
package import GreenroomRuntime
package import GreenroomVideo
import Synchronization

/// The host's end of a video sender: checks everything that a plugin sends, and lets through
/// what the lifecycle allows.
///
/// Threads: any. The copy of a borrowed frame runs outside the lock, so that two threads of a
/// plugin copy side by side.
package final class VideoIngest: Sendable {
    /// What came through the ingest, and what did not.
    package struct Counts: Sendable {
        /// Frames sent: `send` and `commit`, whatever came of it.
        var sent = 0
        /// Frames that went on to the track.
        package var accepted = 0
        /// Of those, the ones that were leased and not copied.
        package var leased = 0
        /// Refused frames, by status.
        package var refused = StatusCounts()
        /// Refused calls that carry no frame (`acquire`, `abandon`), by status.
        package var refusedCalls = StatusCounts()
        /// Leases given back unsent.
        package var abandoned = 0
        /// Bytes copied from a plugin's memory.
        var bytesCopied = 0
        /// Of the frames that went on, those for an offer whose grace time was over.
        package var staleRevision = 0
    }

    private struct Lease: ~Copyable {
        var id: UInt64
        var frame: VideoFrame

        consuming func intoFrame() -> VideoFrame { frame }
    }

    private struct State: ~Copyable {
        var status = Status.notStarted
        /// Where the plugin's frames lie.
        var pool: FramePool
        var revisions = RevisionLog()
        var leases: InlineArray<8, Lease?> = InlineArray { _ in nil }
        var lastLease: UInt64 = 0
        var counts = Counts()
        /// Set for cameras.
        var conduct: CapabilityCompliance?
        /// Refusals of what was passed, by status, that were told.
        var told = StatusCounts()

        init(pool: FramePool) { self.pool = pool }

        /// Throws what the lifecycle demands unless frames may be sent.
        func checkOpen(_ call: SenderCall) throws(Refusal) {
            guard status == .ok else { throw Refusal(status: status, in: call) }
        }

        mutating func lend(
            _ frame: consuming VideoFrame, _ call: SenderCall
        ) throws(Refusal) -> UInt64 {
            for index in leases.indices where leases[index] == nil {
                lastLease += 1
                leases[index] = Lease(id: lastLease, frame: frame)
                return lastLease
            }
            throw Refusal(.noBuffer(limit: leases.count), in: call)
        }

        mutating func takeBack(_ id: UInt64) -> VideoFrame? {
            for index in leases.indices where leases[index]?.id == id {
                guard let lease = leases[index].take() else { continue }
                return lease.intoFrame()
            }
            return nil
        }
    }

    private let state: Mutex<State>
    private let ownPool: FramePool
    private let track: VideoTrackInput
    private let clock: SessionClock
    private let tell: @Sendable (String) -> Void

    /// - Parameters:
    ///   - pool: For the frames of plugins that don't say where theirs must lie.
    ///   - tell: Gets what the source's author should know, each thing once.
    package init(
        pool: FramePool, track: VideoTrackInput, clock: SessionClock,
        tell: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        ownPool = pool
        state = Mutex(State(pool: pool))
        self.track = track
        self.clock = clock
        self.tell = tell
    }

    /// Makes the ingest answer as a state of the lifecycle demands.
    func follow(_ lifecycle: LifecycleState) {
        let status = LifecycleTable.senderStatus(in: lifecycle)
        state.withLock { state in
            if status == .ok, state.status != .ok { track.begin() }
            state.conduct?.pause()
            state.status = status
        }
    }

    /// Begins a life of the plugin: its leases are new, and its frames lie where it says.
    func begin(pool: FramePool?) {
        state.withLock { state in
            state.pool = pool ?? ownPool
            for index in state.leases.indices { state.leases[index] = nil }
        }
    }

    /// How many frames of the plugin are in use at most.
    var frameLimit: Int { ownPool.limit }

    /// Makes frames of a revision, and of all before it, legal; called before the plugin hears of
    /// the offer.
    func offered(revision: UInt32) {
        state.withLock { $0.revisions.offered(revision) }
    }

    /// Begins the grace time of all older revisions; called when the plugin has agreed.
    ///
    /// - Parameter promise: What every frame of it is like, for cameras.
    func agreed(revision: UInt32, promise: VideoCapability? = nil) {
        let now = clock.now
        state.withLock { state in
            state.revisions.agreed(revision, at: now)
            guard let promise else { return }
            if state.conduct == nil { state.conduct = CapabilityCompliance() }
            state.conduct?.agreed(revision, on: promise)
        }
    }

    /// The newest revisions that a frame has come for, oldest first, each with the frames of
    /// older ones that came between the offer and that frame.
    var followed: [(revision: UInt32, frames: Int)] { state.withLock { $0.revisions.followed } }

    /// What came through so far.
    package var counts: Counts {
        state.withLock { state in
            var counts = state.counts
            counts.staleRevision = state.revisions.stale
            return counts
        }
    }

    /// Copies a frame of the plugin and sends it on.
    func send(_ frame: UnsafePointer<gr_video_frame>) throws(Refusal) {
        try send(frame) { copy, checked in
            for index in 0..<checked.format.planeCount {
                let plane = checked.planes[index]
                // What has been checked is stricter than what the copy checks.
                try? copy.copyPlane(
                    index, from: plane.data, strideBytes: plane.strideBytes,
                    byteCount: plane.byteCount)
            }
            return true
        }
    }

    /// Has a frame of the plugin copied, and sends it on.
    ///
    /// - Parameter copy: Fills a frame of the pool; false if the plugin has been lost.
    func send(
        _ frame: UnsafePointer<gr_video_frame>, copy fill: (inout VideoFrame, CheckedFrame) -> Bool
    ) throws(Refusal) {
        try counting { () throws(Refusal) in
            let (newest, pool) = try state.withLock { state throws(Refusal) in
                try state.checkOpen(.videoSend)
                return (state.revisions.newest, state.pool)
            }
            let checked = try CheckedFrame(checking: frame, newestRevision: newest)
            guard
                var copy = pool.take(
                    checked.format, checked.size, compressedByteCount: checked.planes[0].byteCount)
            else { throw Refusal(.poolEmpty(limit: pool.limit), in: .videoSend) }
            guard fill(&copy, checked) else { throw Refusal(.gone, in: .videoSend) }
            let byteCount = (0..<checked.format.planeCount).reduce(0) { $0 + copy.byteCount($1) }
            if checked.format.isCompressed {
                // What is checked must not change any more.
                guard let own = privateCopy(of: copy) else {
                    throw Refusal(.poolEmpty(limit: pool.limit), in: .videoSend)
                }
                copy = own
                do throws(ConversionError) {
                    try JPEGStructure.check(copy.plane(0), size: checked.size)
                } catch {
                    throw Refusal(.data(error.message), in: .videoSend)
                }
            }
            copy.info = checked.info
            try deliver(copy, .videoSend, copied: byteCount)
        }
    }

    /// A compressed frame in memory that no plugin can write to.
    private func privateCopy(of frame: borrowing VideoFrame) -> VideoFrame? {
        guard !ownPool.owns(frame) else { return frame.share() }
        guard
            var copy = ownPool.take(
                frame.format, frame.size, compressedByteCount: frame.byteCount(0))
        else { return nil }
        try? copy.copyPlane(
            0, from: frame.unsafePlanePointer(0), strideBytes: 0, byteCount: frame.byteCount(0))
        return copy
    }

    /// Lends a frame of the pool.
    func acquire(
        format: UInt32, width: UInt32, height: UInt32, lease: UnsafeMutablePointer<gr_lease>
    ) throws(Refusal) {
        let call = SenderCall.videoAcquire
        do throws(Refusal) {
            let (agreed, pool) = try state.withLock { state throws(Refusal) in
                try state.checkOpen(call)
                return (state.revisions.agreed, state.pool)
            }
            _ = try readStruct(UnsafePointer(lease), in: call)
            guard let pixelFormat = PixelFormat(rawValue: format) else {
                throw Refusal(.unknownFormat(format), in: call)
            }
            guard !pixelFormat.isCompressed else { throw Refusal(.compressedLease, in: call) }
            let size = try checkedSize(width: width, height: height, in: call)
            guard let frame = pool.take(pixelFormat, size) else {
                throw Refusal(.poolEmpty(limit: pool.limit), in: call)
            }
            let description = gr_mutable_frame(describing: frame, revision: agreed)
            var lent: VideoFrame? = frame
            let id = try state.withLock { state throws(Refusal) in
                try state.checkOpen(call)
                guard let frame = lent.take() else { throw Refusal(.gone, in: call) }
                return try state.lend(frame, call)
            }
            lease.pointee.id = id
            lease.pointee.frame = description
        } catch {
            state.withLock { $0.counts.refusedCalls.add(error.status) }
            tellFirst(error)
            throw error
        }
    }

    /// Sends a leased frame. The lease ends, whatever comes of it.
    func commit(_ id: UInt64, info: UnsafePointer<gr_frame_info>) throws(Refusal) {
        let call = SenderCall.videoCommit
        try counting { () throws(Refusal) in
            var newest: UInt32 = 0
            var frame = try takeBack(id, call) { state throws(Refusal) in
                try state.checkOpen(call)
                newest = state.revisions.newest
            }
            frame.info = try FrameInfo(
                checking: try readStruct(info, in: call), newestRevision: newest, in: call)
            try deliver(frame, call, copied: 0)
        }
    }

    /// Takes a leased frame back unsent.
    func abandon(_ id: UInt64) throws(Refusal) {
        do throws(Refusal) {
            _ = try takeBack(id, .videoAbandon) { state in state.counts.abandoned += 1 }
        } catch {
            state.withLock { $0.counts.refusedCalls.add(error.status) }
            tellFirst(error)
            throw error
        }
    }

    /// Counts a frame that a body sends or refuses.
    private func counting(_ body: () throws(Refusal) -> Void) throws(Refusal) {
        do throws(Refusal) {
            try body()
        } catch {
            state.withLock {
                $0.counts.sent += 1
                $0.counts.refused.add(error.status)
            }
            tellFirst(error)
            throw error
        }
    }

    /// Tells of a refusal that the author has to mend, once for each status.
    private func tellFirst(_ refusal: Refusal) {
        guard refusal.blamesArguments else { return }
        let isFirst = state.withLock { state in
            state.told.add(refusal.status)
            return state.told[refusal.status] == 1
        }
        if isFirst { tell(refusal.news) }
    }

    /// Ends a lease.
    ///
    /// - Parameter then: What else is done under the same lock.
    private func takeBack(
        _ id: UInt64, _ call: SenderCall, then: (inout State) throws(Refusal) -> Void
    ) throws(Refusal) -> VideoFrame {
        try state.withLock { state throws(Refusal) in
            guard let frame = state.takeBack(id) else {
                // A lease that is unknown to a sender that has ended is no news of its own.
                if state.status == .gone { throw Refusal(.gone, in: call) }
                throw Refusal(.lease(id), in: call)
            }
            try then(&state)
            return frame
        }
    }

    /// Hands a frame to the track, if the state allows it still: whoever closes the ingest knows
    /// that nothing comes through any more once the lock is free.
    private func deliver(
        _ frame: consuming VideoFrame, _ call: SenderCall, copied byteCount: Int
    ) throws(Refusal) {
        let (info, size) = (frame.info, frame.size)
        var frame: VideoFrame? = frame
        // Not under the lock, which whoever closes the ingest needs.
        track.waitForRoom()
        let now = clock.now
        let finding = try state.withLock { state throws(Refusal) -> CapabilityCompliance.Finding? in
            try state.checkOpen(call)
            if let frame = frame.take() { track.push(frame) }
            let stale = state.revisions.stale
            state.revisions.add(frameOf: info.offerRevision, at: now)
            state.counts.sent += 1
            state.counts.accepted += 1
            if call == .videoCommit { state.counts.leased += 1 }
            state.counts.bytesCopied += byteCount
            let isStale = state.revisions.stale > stale
            return state.conduct?.took(size, info, isStale: isStale, at: now)
        }
        if let finding { tell(finding.text) }
    }
}

extension gr_mutable_frame {
    /// Describes a frame of the pool to a plugin that may write to it.
    init(describing frame: borrowing VideoFrame, revision: UInt32) {
        self.init()
        struct_size = UInt32(MemoryLayout<gr_mutable_frame>.size)
        format = frame.format.rawValue
        width = UInt32(frame.size.width)
        height = UInt32(frame.size.height)
        plane_count = UInt32(frame.planeCount)
        planes.0 = gr_mutable_plane(describing: frame, 0)
        if frame.planeCount > 1 { planes.1 = gr_mutable_plane(describing: frame, 1) }
        if frame.planeCount > 2 { planes.2 = gr_mutable_plane(describing: frame, 2) }
        info = gr_frame_info(frame.info)
        info.offer_revision = revision
    }
}

extension gr_mutable_plane {
    init(describing frame: borrowing VideoFrame, _ index: Int) {
        self.init(
            data: frame.unsafePlanePointer(index).assumingMemoryBound(to: UInt8.self),
            size_bytes: UInt64(frame.byteCount(index)),
            stride_bytes: UInt32(frame.strideBytes(index)), reserved: 0)
    }
}

extension gr_frame_info {
    init(_ info: FrameInfo) {
        self.init(
            struct_size: UInt32(MemoryLayout<gr_frame_info>.size),
            rotation: info.rotation.rawValue, range: info.color.range.rawValue,
            matrix: info.color.matrix.rawValue, offer_revision: info.offerRevision, reserved: 0,
            pts_ns: info.ptsNanoseconds ?? unstampedPTS)
    }
}
