import GreenroomModel
import GreenroomABI
package import GreenroomConversion
import GreenroomPluginInterface
import GreenroomMedia
package import GreenroomRuntime
package import GreenroomVideo
import Synchronization

/// The host's end of a video sender. Checks every frame of a plugin, and accepts the frames that
/// the lifecycle allows.
///
/// Threads: any. Borrowed frames are copied outside the lock, so that two threads of a plugin can
/// copy concurrently.
package final class VideoIngest: Sendable {
    /// Counts of frames.
    package struct Counts: Sendable {
        /// Frames sent: `send` and `commit`, accepted or not; not a frame that a stop has overtaken.
        package var sent = 0
        /// Frames passed to the track.
        package var accepted = 0
        /// Accepted frames that were leased and not copied.
        package var leased = 0
        /// Refused frames, by status.
        package var refused = StatusCounts()
        /// Refused calls without a frame (`acquire`, `abandon`), by status.
        package var refusedCalls = StatusCounts()
        /// Leases returned unsent.
        package var abandoned = 0
        /// Bytes copied from a plugin's memory.
        package var bytesCopied = 0
        /// Accepted frames after their offer's grace time.
        package var staleRevision = 0

        /// Creates counts of zero.
        package init() {}
    }

    private struct Lease: ~Copyable {
        var id: UInt64
        var frame: VideoFrame

        consuming func intoFrame() -> VideoFrame { frame }
    }

    private struct State: ~Copyable {
        var status = Status.notStarted
        /// The pool of the plugin's frames.
        var pool: FramePool
        var revisions = RevisionLog()
        var leases: InlineArray<8, Lease?> = InlineArray { _ in nil }
        var lastLease: UInt64 = 0
        /// The lease of the frame that was lent ahead; 0 once the frame has come back.
        var granted: UInt64 = 0
        /// The conversion that fills the frame lent ahead; nil if the pixels are copied unchanged.
        var grantedConversion: EarlyConversion?
        var counts = Counts()
        /// The checker of a camera's agreement; nil for other sources.
        var compliance: CapabilityCompliance?
        /// Called once, after the next accepted frame.
        var onNext: (@Sendable () -> Void)?
        /// Reported refusals of wrong arguments, by status.
        var told = StatusCounts()
        var refusalsInARow = RefusalsInARow()
        /// Whether a frame may still come that the plugin was drawing when it was stopped.
        var mayBeOvertaken = false

        init(pool: FramePool) { self.pool = pool }

        /// Throws the lifecycle's refusal unless frames may be sent.
        func checkOpen(_ call: HostFunction) throws(Refusal) {
            guard status == .ok else { throw Refusal(status: status, in: call) }
        }

        mutating func lend(
            _ frame: consuming VideoFrame, _ call: HostFunction
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
                if granted == id { granted = 0 }
                return lease.intoFrame()
            }
            return nil
        }

        /// Takes back a frame that was lent ahead; nil for any other lease.
        mutating func takeBack(granted id: UInt64) -> VideoFrame? {
            id != 0 && id == granted ? takeBack(id) : nil
        }
    }

    private let state: Mutex<State>
    private let ownPool: FramePool
    private let track: VideoTrackInput
    private let clock: SessionClock
    private let tell: @Sendable (String) -> Void

    /// - Parameters:
    /// - pool: The pool for plugins without their own pool.
    ///   - tell: Receives messages for the source's author, each once.
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

    /// Sets the state from the lifecycle's state.
    func follow(_ lifecycle: LifecycleState) {
        let status = LifecycleTable.senderStatus(in: lifecycle)
        state.withLock { state in
            if status == .ok, state.status != .ok {
                track.begin()
                state.refusalsInARow.end()
            }
            state.compliance?.pause()
            state.mayBeOvertaken =
                status == .stopped && (state.status == .ok || state.mayBeOvertaken)
            state.status = status
        }
    }

    /// Begins a life of the plugin, with new leases and the life's pool.
    func begin(pool: FramePool?) {
        state.withLock { state in
            state.pool = pool ?? ownPool
            for index in state.leases.indices { state.leases[index] = nil }
            state.granted = 0
        }
    }

    /// Whether the plugin holds frames that it may still write.
    var hasLeases: Bool {
        state.withLock { state in state.leases.indices.contains { state.leases[$0] != nil } }
    }

    /// The most frames of the plugin in use.
    var frameLimit: Int { ownPool.limit }

    /// Makes frames of a revision and of earlier ones legal. Called before the plugin receives the
    /// offer.
    func offered(revision: UInt32) {
        state.withLock { $0.revisions.offered(revision) }
    }

    /// Starts the grace time of older revisions. Called when the plugin has agreed.
    ///
    /// - Parameter promise: The capability of all frames of a camera; nil for other sources.
    func agreed(revision: UInt32, promise: VideoCapability? = nil) {
        let now = clock.now
        state.withLock { state in
            state.revisions.agreed(revision, at: now)
            guard let promise else { return }
            if state.compliance == nil { state.compliance = CapabilityCompliance() }
            state.compliance?.agreed(revision, on: promise)
        }
    }

    /// The newest revisions with frames, oldest first, each with the number of older frames between
    /// the offer and its first frame.
    package var followed: [(revision: UInt32, frames: Int)] {
        state.withLock { $0.revisions.followed }
    }

    /// The refusals since the start, or since the last accepted frame.
    var refusalsInARow: RefusalsInARow { state.withLock { $0.refusalsInARow } }

    /// Calls a closure once, after the next accepted frame. [any]
    func onNext(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.onNext = wake } }

    /// Records whether a share is paused, for the track's accounting.
    func setPaused(_ isPaused: Bool) { track.setPaused(isPaused) }

    /// Records that the source has nothing new to send until its next frame.
    func setHeld() { track.setHeld() }

    /// The counts so far.
    package var counts: Counts {
        state.withLock { state in
            var counts = state.counts
            counts.staleRevision = state.revisions.stale
            return counts
        }
    }

    /// Copies or converts a plugin's frame, and passes it to the track.
    func send(_ frame: UnsafePointer<gr_video_frame>?) throws(Refusal) {
        try counting { () throws(Refusal) in
            let (newest, pool) = try state.withLock { state throws(Refusal) in
                try state.checkOpen(.videoSend)
                return (state.revisions.newest, state.pool)
            }
            let checked = try CheckedFrame(checking: frame, newestRevision: newest)
            if let conversion = track.earlyConversion(of: checked.form) {
                return try convert(checked, by: conversion, from: pool)
            }
            try take(checked, from: pool) { copy in
                for index in 0..<checked.format.planeCount {
                    let plane = checked.planes[index]
                    // The earlier check is stricter than this copy's.
                    try? copy.copyPlane(
                        index, from: plane.data, strideBytes: plane.strideBytes,
                        byteCount: plane.byteCount)
                }
                return true
            }
        }
    }

    /// Converts a checked frame from the plugin's memory, and passes it to the track.
    private func convert(
        _ checked: CheckedFrame, by conversion: EarlyConversion, from pool: FramePool
    ) throws(Refusal) {
        guard var frame = pool.take(.i420, checked.size) else {
            throw Refusal(.poolEmpty(limit: pool.limit), in: .videoSend)
        }
        frame.info = checked.info
        let plane = checked.planes[0]
        do throws(ConversionError) {
            try frame.fill(
                by: conversion, from: plane.data, strideBytes: plane.strideBytes,
                byteCount: plane.byteCount)
        } catch {
            // The earlier check is stricter.
            throw Refusal(.data(error.description), in: .videoSend)
        }
        try deliver(frame, .videoSend, copied: 0, sentAs: conversion.form)
    }

    /// Passes a frame of a plugin in another process to the track.
    ///
    /// - Parameters:
    /// - granted: The lease from ``grant(like:converts:)`` whose frame already has the pixels; 0 if
    ///   none.
    /// - copy: Fills a frame of the pool. Returns false if the plugin is lost.
    /// - Returns: The frame's classification.
    @discardableResult
    func send(
        _ frame: UnsafePointer<gr_video_frame>?, in granted: UInt64,
        copy fill: (inout VideoFrame, CheckedFrame) -> Bool
    ) throws(Refusal) -> FrameForm {
        try counting { () throws(Refusal) in
            var filled: VideoFrame?
            var conversion: EarlyConversion?
            let (newest, pool) = try state.withLock { state throws(Refusal) in
                conversion = state.grantedConversion
                filled = state.takeBack(granted: granted)
                try state.checkOpen(.videoSend)
                return (state.revisions.newest, state.pool)
            }
            let checked = try CheckedFrame(checking: frame, newestRevision: newest)
            guard granted != 0 else {
                try take(checked, from: pool) { fill(&$0, checked) }
                return checked.form
            }
            guard var frame = filled.take(), frame.size == checked.size,
                conversion.map({ $0.form == checked.form }) ?? (frame.format == checked.format)
            else { throw Refusal(.lease(granted), in: .videoSend) }
            frame.info = checked.info
            if let conversion {
                frame.info.color = conversion.color
                try deliver(frame, .videoSend, copied: 0, sentAs: conversion.form)
            } else {
                let byteCount = frame.byteCount
                try deliver(frame, .videoSend, copied: byteCount)
            }
            return checked.form
        }
    }

    /// Copies a checked frame into the pool, and passes it to the track.
    private func take(
        _ checked: CheckedFrame, from pool: FramePool, _ fill: (inout VideoFrame) -> Bool
    ) throws(Refusal) {
        guard
            var copy = pool.take(
                checked.format, checked.size,
                compressedByteCount: checked.planes[0].byteCount)
        else { throw Refusal(.poolEmpty(limit: pool.limit), in: .videoSend) }
        guard fill(&copy) else { throw Refusal(.gone, in: .videoSend) }
        let byteCount = copy.byteCount
        if checked.format.isCompressed {
            // A plugin must not be able to change checked data.
            guard let own = privateCopy(of: copy) else {
                throw Refusal(.poolEmpty(limit: pool.limit), in: .videoSend)
            }
            copy = own
            do throws(ConversionError) {
                try JPEGStructure.check(copy.plane(0), size: checked.size)
            } catch {
                throw Refusal(.data(error.description), in: .videoSend)
            }
        }
        copy.info = checked.info
        try deliver(copy, .videoSend, copied: byteCount)
    }

    /// Copies a compressed frame to memory that no plugin can write.
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

    /// Leases a frame of the pool.
    func acquire(
        format: UInt32, width: UInt32, height: UInt32, lease: UnsafeMutablePointer<gr_lease>?
    ) throws(Refusal) {
        let call = HostFunction.videoAcquire
        do throws(Refusal) {
            let (agreed, pool) = try state.withLock { state throws(Refusal) in
                try state.checkOpen(call)
                return (state.revisions.agreed, state.pool)
            }
            _ = try readStruct(lease, in: call)
            guard let lease, let pixelFormat = PixelFormat(rawValue: format) else {
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
            state.withLock { state in
                state.counts.refusedCalls.add(error.status)
                state.refusalsInARow.add(error)
            }
            tellFirst(error)
            throw error
        }
    }

    /// Sends a leased frame. The lease ends, accepted or not.
    ///
    /// - Returns: The frame's classification.
    @discardableResult
    func commit(
        _ id: UInt64, info: UnsafePointer<gr_frame_info>?
    ) throws(Refusal) -> FrameForm {
        let call = HostFunction.videoCommit
        return try counting { () throws(Refusal) in
            var newest: UInt32 = 0
            var frame = try takeBack(id, call) { state throws(Refusal) in
                try state.checkOpen(call)
                newest = state.revisions.newest
            }
            frame.info = try FrameInfo(
                checking: try readStruct(info, in: call), newestRevision: newest, in: call)
            let form = FrameForm(frame)
            try deliver(frame, call, copied: 0)
            return form
        }
    }

    /// Lends a frame like the last one ahead, so that a plugin in another process need not request
    /// it.
    ///
    /// - Parameters:
    /// - form: The form of the last frame.
    /// - converts: Whether the process may fill the frame with converted pixels.
    /// - Returns: Also how it is to be filled, if the pixels are to be converted. Nil if the process
    ///   has such a frame already, or the pool has none to spare.
    func grant(
        like form: FrameForm, converts: Bool = false
    ) -> (lease: gr_lease, conversion: EarlyConversion?)? {
        let conversion = converts ? track.earlyConversion(of: form) : nil
        let (agreed, pool): (UInt32, FramePool?) = state.withLock { state in
            guard state.status == .ok, state.granted == 0 else { return (0, nil) }
            return (state.revisions.agreed, state.pool)
        }
        guard let pool, pool.aliveCount < pool.limit - 1,
            let frame = pool.take(conversion == nil ? form.format : .i420, form.size)
        else { return nil }
        var lease = gr_lease()
        lease.frame = gr_mutable_frame(describing: frame, revision: agreed)
        var lent: VideoFrame? = frame
        lease.id = state.withLock { state in
            // A frame of the old pool is not lent to the plugin's next life.
            guard state.status == .ok, state.granted == 0, state.pool === pool,
                let frame = lent.take(),
                let id = try? state.lend(frame, .videoAcquire)
            else { return 0 }
            state.granted = id
            state.grantedConversion = conversion
            return id
        }
        return lease.id == 0 ? nil : (lease, conversion)
    }

    /// Takes back a frame that was lent ahead. Ignores other leases.
    func takeBack(granted lease: UInt64) {
        // Released outside the lock.
        _ = state.withLock { $0.takeBack(granted: lease) }
    }

    /// Takes back an unsent leased frame.
    func abandon(_ id: UInt64) throws(Refusal) {
        do throws(Refusal) {
            _ = try takeBack(id, .videoAbandon) { state in state.counts.abandoned += 1 }
        } catch {
            state.withLock { $0.counts.refusedCalls.add(error.status) }
            tellFirst(error)
            throw error
        }
    }

    /// Counts frames that the source could not decode. [any]
    func countDamaged(_ count: Int) {
        state.withLock { state in
            guard state.status == .ok else { return }
            state.counts.sent += count
            state.counts.refused.add(.badData, count)
        }
    }

    /// Counts a frame that a body sends or refuses. A frame that the stop has overtaken is neither.
    private func counting<Result>(
        _ body: () throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        do throws(Refusal) {
            return try body()
        } catch {
            state.withLock { state in
                guard error.status != .stopped || !state.mayBeOvertaken else {
                    state.mayBeOvertaken = false
                    return
                }
                state.counts.sent += 1
                state.counts.refused.add(error.status)
                state.refusalsInARow.add(error)
            }
            tellFirst(error)
            throw error
        }
    }

    /// Logs a refusal that the author must fix, once for each status.
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
    /// - Parameter then: An action under the same lock.
    private func takeBack(
        _ id: UInt64, _ call: HostFunction, then: (inout State) throws(Refusal) -> Void
    ) throws(Refusal) -> VideoFrame {
        try state.withLock { state throws(Refusal) in
            guard let frame = state.takeBack(id) else {
                // An unknown lease of an ended sender needs no separate report.
                if state.status == .gone { throw Refusal(.gone, in: call) }
                throw Refusal(.lease(id), in: call)
            }
            try then(&state)
            return frame
        }
    }

    /// Passes a frame to the track if the state still allows it. After the ingest is closed and the
    /// lock is free, no frame is accepted.
    ///
    /// - Parameter form: The form of a converted frame before the conversion; nil for other frames.
    private func deliver(
        _ frame: consuming VideoFrame, _ call: HostFunction, copied byteCount: Int,
        sentAs form: FrameForm? = nil
    ) throws(Refusal) {
        let (info, size) = (frame.info, frame.size)
        var frame: VideoFrame? = frame
        // Wait outside the lock, which closing the ingest needs.
        track.waitForRoom()
        let now = clock.now
        var wake: (@Sendable () -> Void)?
        let finding = try state.withLock { state throws(Refusal) -> CapabilityCompliance.Finding? in
            try state.checkOpen(call)
            if let frame = frame.take() { track.push(frame, sentAs: form) }
            wake = state.onNext.take()
            let stale = state.revisions.stale
            state.revisions.add(frameOf: info.offerRevision, at: now)
            state.counts.sent += 1
            state.counts.accepted += 1
            state.refusalsInARow.end()
            if call == .videoCommit { state.counts.leased += 1 }
            state.counts.bytesCopied += byteCount
            let isStale = state.revisions.stale > stale
            return state.compliance?.took(size, info, isStale: isStale, at: now)
        }
        wake?()
        if let finding { tell(finding.text) }
    }
}
