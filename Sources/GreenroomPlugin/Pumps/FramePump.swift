public import GreenroomMedia
internal import Synchronization

/// Draws and sends frames at a steady rate, on a separate thread.
///
/// Frame n is due exactly n / rate after the start, on the session clock: a slow frame does not
/// delay later ones. A pump that is late by more than a frame skips to the present and counts the
/// skipped frames. Each frame is drawn directly into the host's memory and stamped with its due
/// time.
///
/// Make one when sending starts, and ``stop()`` it when sending stops:
///
/// ```swift
/// func onStartSend() throws {
///     pump = try FramePump(sender: sender, capability: agreed) { frame, time in
///         frame.fill(plane: 0, with: UInt8(time.index % 256))
///         frame.fill(plane: 1, with: 128)
///         frame.fill(plane: 2, with: 128)
///     }
/// }
/// ```
public final class FramePump: Sendable {
    /// Frames, by outcome.
    public struct Counts: Equatable, Sendable {
        /// Drawn, and accepted by the host.
        public var sent = 0
        /// Never drawn, because the pump was late.
        public var skipped = 0
        /// Not drawn or not accepted, because the host had no room.
        public var refused = 0
    }

    private let core: PumpCore
    private let thread: PluginThread

    /// Starts a pump; its first frame is due now.
    ///
    /// - Parameters:
    ///   - sender: The sender of the frames. The pump uses the clock of its host.
    ///   - capability: The size and the rate.
    ///   - format: Any format but MJPEG.
    ///   - color: The colour space.
    ///   - rotation: The clockwise turn that makes the frames upright.
    ///   - fill: Draws a frame, whose initial content is undefined. Runs on the pump's thread only.
    ///     An error that it throws ends the source.
    /// - Throws: A ``PluginError`` if the system can't make a thread.
    public init(
        sender: VideoSender, capability: VideoCapability, format: PixelFormat = .i420,
        color: ColorSpace = .bt601Limited, rotation: Rotation = .none,
        fill: sending @escaping (inout MutableFrame, FrameTime) throws -> Void
    ) throws {
        let core = PumpCore(
            sender: sender, format: format, capability: capability,
            info: FrameInfo(rotation: rotation, color: color))
        self.core = core
        thread = try PluginThread(name: "frame pump") { core.run(fill) }
    }

    /// Changes size and rate from the next frame on. Frame indices and due times continue.
    ///
    /// Call it from `onPropertyChange`: frames of the new size carry the new offer's revision.
    public func follow(_ capability: VideoCapability) { core.follow(capability) }

    /// The frames so far.
    public var counts: Counts { core.plan.withLock { $0.counts } }

    /// Ends the pump: it sends nothing after the return. In `onStopSend` the call waits at most for the
    /// current frame, at other times until the next frame is due.
    public func stop() {
        core.isStopping.store(true, ordering: .relaxed)
        thread.join()
    }

    deinit { stop() }
}

/// The time at which a frame shows.
public struct FrameTime: Equatable, Sendable {
    /// The index of the frame since the start. Missing indices were skipped.
    public var index: Int64
    /// Seconds since the start.
    public var seconds: Double
    /// Nanoseconds on the session clock: the frame's timestamp.
    public var ptsNanoseconds: Int64

    /// Makes a time.
    public init(index: Int64, seconds: Double, ptsNanoseconds: Int64) {
        self.index = index
        self.seconds = seconds
        self.ptsNanoseconds = ptsNanoseconds
    }
}

/// The state that the pump's thread and its owner share.
private final class PumpCore: Sendable {
    struct Plan {
        var capability: VideoCapability
        var info: FrameInfo
        var counts = FramePump.Counts()
    }

    let sender: VideoSender
    let format: PixelFormat
    let startNanoseconds: Int64
    let plan: Mutex<Plan>
    let isStopping = Atomic(false)

    init(
        sender: VideoSender, format: PixelFormat, capability: VideoCapability, info: FrameInfo
    ) {
        self.sender = sender
        self.format = format
        startNanoseconds = sender.host.nowNanoseconds
        plan = Mutex(Plan(capability: capability, info: info))
        follow(capability)
    }

    func follow(_ capability: VideoCapability) {
        plan.withLock { plan in
            plan.capability = capability
            plan.info.offerRevision = sender.offerRevision
        }
    }

    /// The pump's thread.
    func run(_ draw: (inout MutableFrame, FrameTime) throws -> Void) {
        let host = sender.host
        var hold = Hold(host)
        defer { hold.set(false) }
        var schedule = FrameSchedule(
            startNanoseconds: startNanoseconds, rate: plan.withLock { $0.capability.rate })
        var next: Int64 = 0
        var sleep = ShortestSleep()
        while true {
            let rate = plan.withLock { $0.capability.rate }
            // The next frame follows the last one at the new distance.
            if rate != schedule.rate { schedule.change(to: rate, from: max(next - 1, 0)) }
            let index = schedule.slot(next: next, nowNanoseconds: host.nowNanoseconds)
            let skipped = Int(clamping: index - next)
            let due = schedule.due(index)
            guard host.wait(untilNanoseconds: due) == .ok, !isStopping.load(ordering: .relaxed)
            else { break }
            let time = FrameTime(
                index: index, seconds: Double(due - startNanoseconds) / 1e9, ptsNanoseconds: due)
            do {
                let outcome = try send(time) { frame, time in
                    try sleep.measure { try draw(&frame, time) }
                }
                plan.withLock { plan in
                    plan.counts.skipped += skipped
                    switch outcome {
                    case .sent: plan.counts.sent += 1
                    case .refused: plan.counts.refused += 1
                    }
                }
                hold.set(false)
            } catch is NothingNew {
                hold.set(true)
            } catch let refusal as SendRefusal where refusal.isEnd {
                break
            } catch {
                host.giveUp(error)
                break
            }
            next = index + 1
        }
        report(sleep, within: schedule.rate.dueNanoseconds(ofFrame: 1))
    }

    private enum Outcome {
        case sent
        /// The host had no room.
        case refused
    }

    /// Draws and sends a frame.
    private func send(
        _ time: FrameTime, _ draw: (inout MutableFrame, FrameTime) throws -> Void
    ) throws -> Outcome {
        var (size, info) = plan.withLock { ($0.capability.size, $0.info) }
        info.ptsNanoseconds = time.ptsNanoseconds
        do {
            var lease = try sender.acquire(format: format, size: size)
            lease.frame.info = info
            try draw(&lease.frame, time)
            try lease.commit(info)
            return .sent
        } catch let refusal as SendRefusal where refusal.isPassing {
            return .refused
        }
    }

    private func report(_ sleep: ShortestSleep, within period: Int64) {
        if let line = sleep.complaint(about: "drawing a frame", within: period) {
            sender.host.log(.warning, line)
        }
        let counts = plan.withLock { $0.counts }
        guard counts.skipped + counts.refused > 0 else { return }
        sender.host.log(
            .warning,
            "of \(counts.sent + counts.skipped + counts.refused) frames \(counts.skipped) were "
                + "skipped because drawing was late, and \(counts.refused) had no room")
    }
}
