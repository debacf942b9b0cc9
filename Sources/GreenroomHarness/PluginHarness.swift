import GreenroomAudio
package import GreenroomConversion
package import GreenroomNegotiation
package import GreenroomPluginInterface
package import GreenroomMedia
import GreenroomRuntime
package import GreenroomSession
import GreenroomVideo
import Synchronization

/// One plugin alone, led through its life step by step by whoever wants to know how it behaves.
///
/// It has the control thread, the ingests, the clock and the threads behind them of a session, and
/// none of a session's will of its own: no negotiation, no deadline that ends anything, no output.
///
/// Threads: one leads, from ``init(_:on:as:deadlineNanoseconds:frameLimit:sinks:)`` to
/// ``leave()``; what only tells something is for any.
package final class PluginHarness: Sendable {
    /// How a step ended.
    package enum StepEnd: Equatable, Sendable {
        case done
        /// The plugin refused it, or made something that breaks a rule.
        case refused(Status, String)
        /// The lifecycle has no such step from there.
        case illegal(LifecycleState)
        /// It is in start-send still, and waits for session time inside of it: it ends when it is
        /// stopped.
        case pumps
        /// It has not returned in time.
        case hangs
        /// The plugin's process is lost; the text is the evidence.
        case lost(String)
    }

    /// Who sees and hears what comes through.
    package struct Sinks: Sendable {
        /// Gets each frame, in order, with the time of its arrival on the session clock.
        package var sees: @Sendable (borrowing VideoFrame, Int64) -> Void
        /// Gets the session's sound: 48 kHz stereo in stretches of 10 ms from the beginning of the
        /// harness, silence too.
        package var hears: @Sendable (Span<Int16>) -> Void
        /// Gets what the host would tell of.
        package var isTold: @Sendable (SessionEvent) -> Void

        package init(
            sees: @escaping @Sendable (borrowing VideoFrame, Int64) -> Void = { _, _ in },
            hears: @escaping @Sendable (Span<Int16>) -> Void = { _ in },
            isTold: @escaping @Sendable (SessionEvent) -> Void = { _ in }
        ) {
            self.sees = sees
            self.hears = hears
            self.isTold = isTold
        }
    }

    /// What steps took, in real time.
    package struct Spent: Sendable {
        package private(set) var steps = 0
        package private(set) var nanoseconds: Int64 = 0
        /// The step that took longest; nil before there was one.
        package private(set) var longest: (step: LifecycleStep, nanoseconds: Int64)?

        package init() {}

        mutating func add(_ step: LifecycleStep, nanoseconds taken: Int64) {
            steps += 1
            nanoseconds += taken
            if taken > longest?.nanoseconds ?? -1 { longest = (step, taken) }
        }

        package static func += (spent: inout Spent, other: Spent) {
            spent.steps += other.steps
            spent.nanoseconds += other.nanoseconds
            guard let longest = other.longest else { return }
            if longest.nanoseconds > spent.longest?.nanoseconds ?? -1 { spent.longest = longest }
        }
    }

    /// How a frame came back from a pre-processor.
    package enum Edit: ~Copyable {
        case returned(VideoFrame, Status)
        /// It has the frame still.
        case late
    }

    package let descriptor: PluginDescriptor
    package let clock: HarnessClock
    private let deadlineNanoseconds: Int64
    private let instance: PluginInstance
    private let input: VideoTrackInput?
    private let audioMixer: AudioMixer?
    private let editor: PreProcessorRunner?
    private let threads: [HostThread]
    private let offers = Mutex((revision: UInt32(0), last: Offer?.none))
    private let spending = Mutex(Spent())

    /// Begins: the sinks's threads run from here on, and the sound's timeline begins.
    ///
    /// - Parameters:
    ///   - plan: The plugin.
    ///   - clock: The clock; several rehearsals may share one, each with a number of its own.
    ///   - number: Tells the plugins on a clock apart.
    ///   - deadlineNanoseconds: How long a step may take in real time, besides what a busy machine
    ///     takes of it.
    ///   - frameLimit: How many of the plugin's frames are in use at most.
    package init(
        _ plan: SourcePlan, on clock: HarnessClock, as number: Int = 0,
        deadlineNanoseconds: Int64 = 2_000_000_000, frameLimit: Int = 24,
        sinks: Sinks = Sinks()
    ) {
        descriptor = plan.descriptor
        self.clock = clock
        self.deadlineNanoseconds = deadlineNanoseconds
        let session = clock.session
        let events = SessionEvents(sinks.isTold)
        let role = plan.descriptor.name
        let kind = plan.descriptor.kind
        input = kind.sender == .video ? VideoTrackInput(clock: session) : nil
        let audioIngest =
            kind.sender == .audio
            ? AudioIngest(role: role, number: number, clock: session, events: events) : nil
        instance = PluginInstance(
            plan: plan, number: number, role: role, clock: session, events: events,
            videoIngest: input.map {
                VideoIngest(pool: FramePool(limit: frameLimit), track: $0, clock: session)
            },
            audioIngest: audioIngest, editedFrameLimit: kind.isFilter ? frameLimit : 0)
        editor = kind.isFilter ? PreProcessorRunner(instance, clock: session) : nil
        var threads: [HostThread] = []
        if let input {
            threads.append(
                HostThread(
                    name: "sinks", clock: session, as: ClockOrder(part: .track, number: number)
                ) { Self.show(input, to: sinks) })
        }
        audioMixer = audioIngest.map { ingest in
            AudioMixer(
                tracks: [
                    AudioMixer.Track(source: ingest, sinks: [ClosureSink(hears: sinks.hears)])
                ],
                mixSinks: [], clock: session)
        }
        if let audioMixer, let audioIngest {
            let epoch = session.now
            audioIngest.begin(epoch: epoch)
            threads.append(
                HostThread(name: "sinks", clock: session, as: ClockOrder(part: .sound)) {
                    audioMixer.run(epoch: epoch)
                })
        }
        self.threads = threads
        clock.watch(number)
    }

    private static func show(_ input: VideoTrackInput, to sinks: Sinks) {
        while true {
            switch input.next(after: VideoTrack.Progress()) {
            case .frame(let arrival):
                let nanoseconds = arrival.nanoseconds
                sinks.sees(arrival.intoFrame(), nanoseconds)
            case .show: continue
            case .end: return
            }
        }
    }

    /// Ends the sinks's threads, and the plugin if it is there still.
    package func leave() {
        if instance.lifecycle != .destroyed {
            instance.giveUp(because: "the harness is over")
        }
        input?.close()
        editor?.close()
        audioMixer?.finish(at: 0)
        clock.session.idling {
            for thread in threads {
                thread.join(until: MonotonicClock.deadline(after: 1_000_000_000))
            }
        }
    }

    // MARK: Offers

    var lastOffer: Offer? {
        get { offers.withLock { $0.last } }
        set { offers.withLock { $0.last = newValue } }
    }

    func takeRevision() -> UInt32 {
        offers.withLock { offers in
            offers.revision += 1
            return offers.revision
        }
    }

    // MARK: Steps

    package func create() -> StepEnd { end(instance.beginCreate()) }

    /// - Parameter offer: For sources of video and share, and for pre-processors the one row of
    ///   their frames; nil for sound.
    package func initialize(_ offer: Offer?) -> StepEnd {
        end(instance.beginInitialize(offer: offer))
    }

    /// What becomes of the offer is ``reply(to:)``.
    package func propertyChange(_ offer: Offer) -> StepEnd {
        end(instance.beginPropertyChange(offer: offer))
    }

    package func set(_ setting: Setting) -> StepEnd { end(instance.beginSetParameter(setting)) }
    package func startSend() -> StepEnd { end(instance.beginStartSend()) }
    package func stopSend() -> StepEnd { end(instance.beginStopSend()) }
    package func uninitialize() -> StepEnd { end(instance.beginUninitialize()) }
    package func destroy() -> StepEnd { end(instance.beginDestroy()) }

    /// Changes a parameter as no session does: whatever the name, the type and the value are.
    package func setUnchecked(_ setting: Setting) -> StepEnd {
        end(instance.beginAsking(.setParameter) { $0.setParameter(setting) })
    }

    /// Asks for an extension of the plugin.
    ///
    /// - Returns: How the call ended, and where the extension is; nil for none.
    package func ask(forExtension id: String) -> (end: StepEnd, address: UInt64?) {
        let found = Monitor<UInt64?>(nil)
        let end = end(
            instance.beginAsking(.getExtension) { calls in
                let address = calls.address(ofExtension: id)
                found.change { $0 = address }
                return .ok
            })
        return (end, found.withLock { $0 })
    }

    /// How long is waited before looking again, in nanoseconds.
    private static let glance: Int64 = 10_000_000

    private func end(_ step: PluginInstance.PendingStep) -> StepEnd {
        let isStart = step.step == .startSend
        let begin = MonotonicClock.now
        defer {
            let taken = MonotonicClock.now - begin
            spending.withLock { $0.add(step.step, nanoseconds: taken) }
        }
        // A machine that is busy takes from a glance what it takes from the plugin.
        var left = deadlineNanoseconds
        while true {
            if let result = instance.finish(
                step, until: MonotonicClock.deadline(after: Self.glance))
            {
                return stepEnd(result)
            }
            // One that only sends may have much to send, and return all the same.
            if isStart, instance.hasWaited { return .pumps }
            left -= Self.glance
            if left <= 0 { return .hangs }
        }
    }

    private func stepEnd(_ result: PluginInstance.StepResult) -> StepEnd {
        switch result {
        // One that could not be created has been given up since, and is not lost for that.
        case .failed(let status, let text): return .refused(status, text)
        case .done, .illegal:
            if let fault = instance.fault { return .lost(fault) }
            if case .illegal(let state) = result { return .illegal(state) }
            return .done
        }
    }

    // MARK: Time

    /// Lets session time pass, unless the plugin is lost before that.
    ///
    /// - Returns: Why it was lost; nil if it was not.
    package func wait(nanoseconds: Int64) -> String? {
        let end = clock.now + nanoseconds
        let quiet = Monitor(())
        while instance.fault == nil, clock.now < end {
            let next = min(end, clock.now + 50_000_000)
            let _: Void? = clock.session.wait(for: quiet, until: next) { _ in nil }
        }
        return instance.fault
    }

    // MARK: Frames for a pre-processor

    /// Has a frame edited.
    ///
    /// - Parameters:
    ///   - size: Its size; it is I420.
    ///   - fill: Fills it before the plugin gets it.
    /// - Returns: nil if there is no memory for it, or the plugin is no pre-processor.
    package func edit(
        _ size: FrameSize, info: FrameInfo, fill: (inout VideoFrame) -> Void
    ) -> Edit? {
        guard let editor, var frame = pool.take(.i420, size) else { return nil }
        frame.info = info
        fill(&frame)
        let deadline = MonotonicClock.deadline(after: deadlineNanoseconds)
        switch editor.process(frame, until: deadline) {
        case .returned(let edited, let status): return .returned(edited, status)
        case .late: return .late
        }
    }

    private let ownPool = FramePool(limit: 4)
    private var pool: FramePool { instance.editingPool ?? ownPool }

    // MARK: What can be seen. [any]

    package var lifecycle: LifecycleState { instance.lifecycle }
    package var fault: String? { instance.fault }
    package var agreement: Agreement? { instance.agreement }
    package var settings: [Setting] { instance.settings }
    package var capabilities: [VideoCapability] { instance.capabilities }
    package var gaveUp: (status: Status, reason: String)? { instance.gaveUp }
    package var isPaused: Bool { instance.isPaused }

    /// What became of an offer; nil while its step runs, and once there was a newer one.
    package func reply(to revision: UInt32) -> Reply? { instance.reply(to: revision) }

    /// What all steps so far took.
    package var spent: Spent { spending.withLock { $0 } }

    /// The callback that is running, and for how long, in nanoseconds of real time.
    package var runningCallback: (step: LifecycleStep, nanoseconds: Int64)? {
        instance.runningCallback
    }

    /// What came of the frames; zeros for anything but sources of video and share.
    package var frames: FrameCounts {
        guard let counts = instance.videoIngest?.counts else { return FrameCounts() }
        return FrameCounts(
            accepted: counts.accepted, leased: counts.leased, abandoned: counts.abandoned,
            stale: counts.staleRevision, refused: counts.refused.refusals,
            refusedCalls: counts.refusedCalls.refusals)
    }

    /// What came of the blocks of sound; zeros for anything but sources of sound.
    package var sound: BlockCounts {
        guard let statistics = instance.audioIngest?.statistics else { return BlockCounts() }
        return BlockCounts(
            accepted: statistics.counts.accepted, refused: statistics.counts.refused.refusals)
    }
}

/// What came of a plugin's frames, refusals by the names of their statuses.
package struct FrameCounts: Equatable, Sendable {
    package var accepted = 0
    /// Of the accepted ones, those that were leased.
    package var leased = 0
    package var abandoned = 0
    /// Of the accepted ones, those for an offer whose grace time was over.
    package var stale = 0
    package var refused: [String: Int] = [:]
    /// Refused calls that carry no frame.
    package var refusedCalls: [String: Int] = [:]
}

/// What came of a plugin's blocks of sound, refusals by the names of their statuses.
package struct BlockCounts: Equatable, Sendable {
    package var accepted = 0
    package var refused: [String: Int] = [:]
}

/// Hands sound on.
private final class ClosureSink: AudioSink {
    private let hears: @Sendable (Span<Int16>) -> Void

    init(hears: @escaping @Sendable (Span<Int16>) -> Void) { self.hears = hears }

    func write(_ samples: Span<Int16>) { hears(samples) }
    func finish(until deadline: Int64) {}
}
