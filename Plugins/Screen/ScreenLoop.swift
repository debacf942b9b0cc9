import Glibc
import GreenroomPlugin
import GreenroomX11
import Synchronization

/// The thread that captures and sends frames.
///
/// A frame is sent when the image has changed, and again each half second: viewers that join late soon see it. A
/// camera sends in each period.
final class ScreenLoop: Sendable {
    private let work: CaptureWork
    private let thread: PluginThread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - source: Opened already; a later one is made by `open`.
    ///   - isCamera: Whether to send in each period.
    init(
        _ source: sending any FrameSource, sender: VideoSender, capability: VideoCapability,
        isCamera: Bool, open: @escaping @Sendable () throws -> any FrameSource
    ) throws {
        let work = CaptureWork(
            sender: sender, capability: capability, isCamera: isCamera, open: open)
        self.work = work
        let interrupt = source.interrupt
        work.interruption.withLock { $0.interrupt = interrupt }
        thread = try PluginThread(name: "screen capture") { work.run(source) }
    }

    /// Changes the rate from the next frame on.
    func follow(_ capability: VideoCapability) {
        work.rate.withLock { $0 = capability.rate }
    }

    /// Ends the thread. Nothing is sent after the return.
    func stop() {
        work.interruption.withLock { state in
            state.isStopping = true
            state.interrupt?()
        }
        thread.join()
    }

    deinit { stop() }
}

/// The thread's work.
private final class CaptureWork: Sendable {
    struct Interruption: Sendable {
        var isStopping = false
        /// Ends a call that the thread waits for.
        var interrupt: (@Sendable () -> Void)?
    }

    /// The longest time without a frame, in nanoseconds.
    private static let keepAlive: Int64 = 500_000_000
    /// The time between two attempts to open a lost source, in nanoseconds.
    private static let attemptPause: Int64 = 1_000_000_000

    let interruption = Mutex(Interruption())
    let rate: Mutex<FrameRate>
    private let sender: VideoSender
    private let host: PluginHost
    private let isCamera: Bool
    private let size: FrameSize
    private let open: @Sendable () throws -> any FrameSource

    init(
        sender: VideoSender, capability: VideoCapability, isCamera: Bool,
        open: @escaping @Sendable () throws -> any FrameSource
    ) {
        self.sender = sender
        host = sender.host
        rate = Mutex(capability.rate)
        size = capability.size
        self.isCamera = isCamera
        self.open = open
    }

    func run(_ opened: any FrameSource) {
        var source: (any FrameSource)? = opened
        var nextAttempt: Int64 = 0
        var missing: MissingImage?
        var slate: CapturedImage?
        var lastSize = size
        var lastSent = Int64.min / 2
        var due = host.nowNanoseconds
        while host.wait(untilNanoseconds: due) == .ok {
            let now = host.nowNanoseconds
            var update: FrameUpdate
            do {
                if source == nil, now >= nextAttempt {
                    nextAttempt = now + Self.attemptPause
                    let new = try open()
                    let interrupt = new.interrupt
                    interruption.withLock { $0.interrupt = interrupt }
                    source = new
                }
                update = try source?.update() ?? missing.map { .missing($0) } ?? .unchanged
            } catch {
                source = nil
                nextAttempt = now + Self.attemptPause
                update = .missing(
                    missing.flatMap { $0.state == "lost" ? $0 : nil } ?? .lost("\(error)"))
            }
            guard !interruption.withLock({ $0.isStopping }) else { return }
            // A reopened source may ask the user again, and may be lost again.
            if update == .missing(.unanswered), let missing { update = .missing(missing) }
            if case .ended(let reason) = update { return host.finish(reason) }
            var isNew = update == .changed
            if case .missing(let reason) = update {
                if reason != missing {
                    host.log(reason == .unanswered ? .info : .warning, reason.text)
                    slate = .slate(reason, lastSize)
                    isNew = true
                }
                missing = reason
            } else if missing != nil {
                host.log(.info, "the share continues")
                (missing, slate, isNew) = (nil, nil, true)
            }
            if isNew || isCamera || now - lastSent >= Self.keepAlive,
                let image = slate ?? source?.image, image.size.isLegal
            {
                do throws(SendRefusal) {
                    try send(image, slate == nil ? source?.format ?? .bgrx : .bgrx, at: due)
                    lastSent = now
                    lastSize = image.size
                } catch {
                    // The next period tries again.
                    if error.isPassing {
                        lastSent = .min / 2
                    } else {
                        if !error.isEnd { host.giveUp(error.text, status: error.status) }
                        return
                    }
                }
            }
            due = next(after: due)
        }
    }

    /// The due time of the next frame: one period later, or now if that has passed.
    private func next(after due: Int64) -> Int64 {
        let next = due + rate.withLock { $0.dueNanoseconds(ofFrame: 1) }
        let now = host.nowNanoseconds
        return next < now ? now : next
    }

    private func send(
        _ image: CapturedImage, _ format: PixelFormat, at time: Int64
    ) throws(SendRefusal) {
        let plane = FramePlanes.Plane(
            RawSpan(_unsafeBytes: UnsafeRawBufferPointer(image.bytes)),
            strideBytes: image.strideBytes)
        try sender.send(
            format: format, size: image.size, planes: FramePlanes(plane),
            info: FrameInfo(color: .bt709Limited, ptsNanoseconds: time))
    }
}
