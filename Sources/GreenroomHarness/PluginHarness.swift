package import GreenroomModel
package import GreenroomEvents
package import GreenroomABI
import GreenroomAudio
package import GreenroomConversion
package import GreenroomNegotiation
package import GreenroomPluginInterface
package import GreenroomMedia
import GreenroomRuntime
package import GreenroomLifecycle
import GreenroomVideo
import Synchronization

/// Runs one plugin without a session, one step of its lifecycle at a time.
///
/// It has a session's control thread, ingests, clock and media threads, but makes no decisions: no
/// negotiation, no deadline that ends the plugin, no outputs.
///
/// Threads: one thread leads, from ``init(_:on:as:deadlineNanoseconds:frameLimit:sinks:)`` to
/// ``leave()``; any thread may read properties.
package final class PluginHarness: Sendable {
    /// How a step ended.
    package enum StepEnd: Equatable, Sendable {
        case done
        /// The plugin refused it, or created an instance that breaks a rule.
        case refused(Status, FailureReason)
        /// The lifecycle does not allow the step from this state.
        case illegal(LifecycleState)
        /// It is still in start-send and waits for session time there: it ends when it is stopped.
        case pumps
        /// It did not return in time.
        case hangs
        /// The plugin's process is lost; the text says why.
        case lost(String)
    }

    /// Receives what the plugin sends.
    package struct Sinks: Sendable {
        /// Gets each frame, in order, with its arrival time on the session clock.
        package var onFrame: @Sendable (borrowing VideoFrame, Int64) -> Void
        /// Gets the audio: 48 kHz stereo in 10 ms blocks from the start of the harness, including
        /// silence.
        package var onAudio: @Sendable (Span<Int16>) -> Void
        /// Gets the events that a session would report.
        package var onEvent: @Sendable (SessionEvent) -> Void

        package init(
            onFrame: @escaping @Sendable (borrowing VideoFrame, Int64) -> Void = { _, _ in },
            onAudio: @escaping @Sendable (Span<Int16>) -> Void = { _ in },
            onEvent: @escaping @Sendable (SessionEvent) -> Void = { _ in }
        ) {
            self.onFrame = onFrame
            self.onAudio = onAudio
            self.onEvent = onEvent
        }
    }

    /// Real time spent in steps.
    package struct Spent: Sendable {
        package private(set) var steps = 0
        package private(set) var nanoseconds: Int64 = 0
        /// The longest step; nil before the first one.
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

    /// The result of an edit.
    package enum Edit: ~Copyable {
        case returned(VideoFrame, Status)
        /// The pre-processor still has the frame.
        case overdue
    }

    package let descriptor: PluginDescriptor
    package let clock: HarnessClock
    private let deadlineNanoseconds: Int64
    private let hanging: Set<LifecycleStep>
    private let instance: PluginInstance
    private let input: VideoTrackInput?
    private let audioMixer: AudioMixer?
    private let editor: PreProcessorRunner?
    private let audioEditor: AudioFilterRunner?
    private let feed: OutputFeed?
    /// The participants of the call.
    private let roster: CallRoster?
    private let driver: OutputDriver?
    private let tracks = Mutex((capability: OutputDriver.ordinary, isRefused: false))
    private let threads: [HostThread]
    private let offers = Mutex((revision: UInt32(0), last: Offer?.none))
    private let spending = Mutex(Spent())
    /// The last step that did not return in time.
    private let late = Mutex(LifecycleStep?.none)

    /// Starts the threads of the sinks and the audio timeline.
    ///
    /// - Parameters:
    ///   - plan: The plugin.
    ///   - clock: The clock. Several harnesses may share one, each with its own number.
    ///   - number: Identifies the plugin on the clock.
    ///   - deadlineNanoseconds: Real time limit of a step, measured so that delays of a busy
    ///     machine count little.
    ///   - hanging: Steps that are known to hang: it waits for them only briefly.
    ///   - frameLimit: Limit of the plugin's frames in use.
    package init(
        _ plan: SourcePlan, on clock: HarnessClock, as number: Int = 0,
        deadlineNanoseconds: Int64 = 2_000_000_000, hanging: Set<LifecycleStep> = [],
        frameLimit: Int = 24,
        sinks: Sinks = Sinks()
    ) {
        self.hanging = hanging
        descriptor = plan.descriptor
        self.clock = clock
        self.deadlineNanoseconds = deadlineNanoseconds
        let session = clock.session
        let events = SessionEvents(sinks.onEvent)
        let role = plan.descriptor.name
        let kind = plan.descriptor.kind
        input = kind.sender == .video ? VideoTrackInput(clock: session) : nil
        let audioIngest =
            kind.sender == .audio
            ? AudioIngest(role: role, number: number, clock: session, events: events) : nil
        feed =
            kind.takesMedia
            ? OutputFeed(
                role: role, name: role, number: number, selection: nil,
                isComposer: kind.isComposer, events: events) : nil
        let epoch = session.now
        let audioMixer =
            audioIngest != nil || kind.isCall
            ? AudioMixer(
                tracks: audioIngest.map { ingest in
                    [AudioMixer.Track(source: ingest, sinks: [ClosureSink(onAudio: sinks.onAudio)])]
                } ?? [],
                mixSinks: [], clock: session) : nil
        self.audioMixer = audioMixer
        // Discards the media of a call's participants, at its normal pace.
        let roster =
            kind.isCall
            ? CallRoster(
                plugin: number, frameLimit: frameLimit, clock: session, events: events
            ) { track in
                track.discardVideo()
                guard let ingest = track.audio else { return }
                audioMixer?.add(at: session.now - epoch) { begin in
                    ingest.begin(epoch: epoch + begin)
                    return AudioMixer.Track(source: ingest, sinks: [])
                }
            } : nil
        self.roster = roster
        instance = PluginInstance(
            plan: plan, number: number, role: role, clock: session, events: events,
            videoIngest: input.map {
                VideoIngest(pool: FramePool(limit: frameLimit), track: $0, clock: session)
            },
            audioIngest: audioIngest, feed: feed,
            roster: roster,
            ownFrameLimit: kind.isFilter ? frameLimit : kind.isCall ? 4 * frameLimit : 0,
            control: ControlGrant(HarnessSession(), clock: session.host))
        driver = feed.map { [instance] in OutputDriver($0, instance, clock: session) }
        editor = kind.isFilter ? PreProcessorRunner(instance, clock: session) : nil
        audioEditor = kind.isAudioFilter ? AudioFilterRunner(instance, clock: session) : nil
        var threads: [HostThread] = []
        if let input {
            threads.append(
                HostThread(
                    name: "sinks", clock: session, as: ClockOrder(part: .track, number: number)
                ) { Self.show(input, to: sinks) })
        }
        if let audioMixer {
            audioIngest?.begin(epoch: epoch)
            threads.append(
                HostThread(name: "sinks", clock: session, as: ClockOrder(part: .audio)) {
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
                sinks.onFrame(arrival.intoFrame(), nanoseconds)
            case .show: continue
            case .change: continue
            case .end: return
            }
        }
    }

    /// Ends the threads of the sinks, and the plugin if it still runs.
    package func leave() {
        if instance.lifecycle != .destroyed {
            instance.giveUp(because: "the harness is over")
        }
        driver?.stop()
        input?.close()
        editor?.close()
        audioEditor?.close()
        audioMixer?.finish(at: 0)
        // A virtual clock may stand still for a plugin that hangs, and its threads with it.
        let patience = isStuck ? Self.pollInterval : 1_000_000_000
        clock.session.idling {
            for thread in threads {
                thread.join(until: host.deadline(after: patience), on: host)
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

    /// Initializes the plugin, and describes the tracks of a session to an output.
    ///
    /// - Parameters:
    ///   - offer: For video and share sources; for pre-processors the one row of their frames; nil
    ///     for others.
    ///   - capability: The size and rate of the tracks that an output gets to know; nil for ordinary
    ///     ones.
    package func initialize(_ offer: Offer?, tracks capability: VideoCapability? = nil) -> StepEnd {
        let initialized = end(instance.beginInitialize(offer: offer))
        guard descriptor.kind.takesMedia, initialized == .done else { return initialized }
        let capability = capability ?? OutputDriver.ordinary
        let described = end(
            instance.beginDescribing(
                OutputDriver.tracks(capability, for: descriptor.kind)))
        guard case .refused = described else {
            tracks.withLock { $0 = (capability, false) }
            return described
        }
        tracks.withLock { $0 = (capability, true) }
        // As after an answer to an offer that can't be met.
        let ended = end(instance.beginUninitialize())
        return ended == .done ? described : ended
    }

    /// ``reply(to:)`` has the reply.
    package func propertyChange(_ offer: Offer) -> StepEnd {
        end(instance.beginPropertyChange(offer: offer))
    }

    /// Says to a call what is needed of participants' tracks.
    package func demand(_ demands: [Demand]) -> StepEnd { end(instance.beginDemands(demands)) }

    package func set(_ setting: Setting) -> StepEnd { end(instance.beginSetParameter(setting)) }

    /// Starts the plugin; media is passed to an output from then on.
    package func startSend() -> StepEnd {
        let started = end(instance.beginStartSend())
        if started == .done { driver?.start(tracks.withLock { $0.capability }) }
        return started
    }

    /// Stops the plugin, an output after the last of its media.
    package func stopSend() -> StepEnd {
        driver?.stop()
        return end(instance.beginStopSend())
    }

    package func uninitialize() -> StepEnd { end(instance.beginUninitialize()) }
    package func destroy() -> StepEnd { end(instance.beginDestroy()) }

    /// Changes a parameter without checking its name, type or value.
    package func setUnchecked(_ setting: Setting) -> StepEnd {
        end(instance.beginAsking(.setParameter) { $0.setParameter(setting) })
    }

    /// Asks the plugin for an extension.
    ///
    /// - Returns: How the call ended, and the extension's address; nil if none.
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

    /// Times what may hang.
    private var host: HostClock { clock.session.host }

    /// Time between checks, in nanoseconds.
    private static let pollInterval: Int64 = 10_000_000
    /// How long the clock stands still for a callback, in nanoseconds of real time.
    private static let stillNanoseconds: Int64 = 500_000_000

    private func end(_ step: PluginInstance.PendingStep) -> StepEnd {
        let isStart = step.step == .startSend
        let begin = host.now
        defer {
            let taken = host.now - begin
            spending.withLock { $0.add(step.step, nanoseconds: taken) }
        }
        // A busy machine delays each check as much as the plugin.
        let limit =
            hanging.contains(step.step) || isStuck
            ? Self.pollInterval : step.step.limit(deadlineNanoseconds, of: instance.descriptor.kind)
        var left = limit
        while true {
            if let result = instance.finish(
                step, until: host.deadline(after: Self.pollInterval))
            {
                return stepEnd(result)
            }
            // A source that never waits may have much to send and still return.
            if isStart, instance.hasWaited { return .pumps }
            left -= Self.pollInterval
            if left <= 0 {
                if !isStuck { late.withLock { $0 = step.step } }
                return .hangs
            }
            // A callback may wait for a thread of its plugin that waits on the clock: one that
            // restarts its pump does.
            if step.step == .propertyChange, limit - left > Self.stillNanoseconds {
                _ = wait(nanoseconds: Self.pollInterval)
            }
        }
    }

    /// Whether a step that did not return in time is still running: the next one waits for it.
    private var isStuck: Bool { late.withLock { $0 != nil && $0 == runningCallback?.step } }

    private func stepEnd(_ result: PluginInstance.StepResult) -> StepEnd {
        switch result {
        // A failed create has stopped the instance since; that is no loss.
        case .failed(let status, let reason): return .refused(status, reason)
        case .done, .illegal:
            if let fault = instance.fault { return .lost(fault) }
            if case .illegal(let state) = result { return .illegal(state) }
            return .done
        }
    }

    // MARK: Time

    /// Waits for session time to pass, or until the plugin is lost.
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

    // MARK: Outputs

    /// The tracks that an output gets to know.
    package static func outputTracks(for kind: PluginKind) -> [OutputTrack] {
        OutputDriver.tracks(OutputDriver.ordinary, for: kind)
    }

    /// The tracks of a participant of a call.
    package static let participantTracks = [
        (100, GR_TRACK_CAMERA, "ana-camera"), (101, GR_TRACK_MICROPHONE, "ana-microphone"),
        (102, GR_TRACK_SHARE, "ana-share"),
    ].map { id, kind, name in
        OutputTrack(
            id: id, kind: UInt32(kind), name: name,
            capability: kind == GR_TRACK_MICROPHONE ? nil : OutputDriver.ordinary,
            participant: OutputTrack.Participant(number: 99, name: "Ana"))
    }

    /// Asks an output what it wants of a track, which changes nothing.
    ///
    /// - Parameter want: What stands there before; then what the output has written.
    package func ask(about track: OutputTrack, _ want: inout gr_want) -> StepEnd {
        let written = Mutex(want)
        let end = end(
            instance.beginAsking(.track) { backend in
                var want = written.withLock { $0 }
                let status = backend.describe(track, &want)
                written.withLock { [want] in $0 = want }
                return status
            })
        want = written.withLock { $0 }
        return end
    }

    /// The senders of the tracks that a call has open.
    package var openSenders: [UInt64] { roster?.openSenders ?? [] }

    /// Whether the last initialize failed because the output refused a track, or wanted the
    /// impossible of it.
    package var hasRefusedTrack: Bool { tracks.withLock { $0.isRefused } }

    /// The wants of an output, by track.
    package var wants: [(track: OutputTrack, want: TrackWant)] { feed?.wants ?? [] }
    /// The values that an output has set for the report.
    package var reportedValues: [String: Double] { feed?.reportedValues ?? [:] }
    /// The number of frames that an output keeps.
    package var keptFrames: Int { feed?.keptCount ?? 0 }
    /// A description of the read-only frames that the output modified; nil if none.
    package var writtenFrame: String? { driver?.written }
    /// How long an output's media call has run, in nanoseconds of real time; nil without one.
    package var mediaNanoseconds: Int64? { instance.mediaNanoseconds }

    // MARK: Frames for a pre-processor

    /// Lets the pre-processor edit a frame.
    ///
    /// - Parameters:
    ///   - size: The size of the I420 frame.
    ///   - fill: Fills the frame first.
    /// - Returns: nil if there is no memory, or the plugin is no pre-processor.
    package func edit(
        _ size: FrameSize, info: FrameInfo, fill: (inout VideoFrame) -> Void
    ) -> Edit? {
        guard let editor, var frame = pool.take(.i420, size) else { return nil }
        frame.info = info
        fill(&frame)
        let deadline = host.deadline(after: deadlineNanoseconds)
        switch editor.process(frame, until: deadline) {
        case .returned(let edited, let status): return .returned(edited, status)
        case .overdue: return .overdue
        }
    }

    // MARK: Audio for an audio pre-processor

    /// The declaration of the audio pre-processor; nil for other kinds, and before `create`.
    package var audioEditing: AudioEditing? { instance.declared }

    /// Lets the audio pre-processor edit a block.
    ///
    /// - Parameter samples: 480 stereo frames, which are edited.
    /// - Returns: Its status, and how long it took in nanoseconds of real time; nil if it has not returned in
    ///   time, or the plugin is not an audio pre-processor.
    package func edit(_ samples: inout [Int16]) -> (status: Status, nanoseconds: Int64)? {
        guard let audioEditor, let editing = instance.declared else { return nil }
        let begun = host.now
        let deadline = host.deadline(after: deadlineNanoseconds)
        let status = audioEditor.process(
            &samples, reference: nil, for: editing, at: clock.now, until: deadline)
        return status.map { ($0, host.now - begun) }
    }

    private let ownPool = FramePool(limit: 4)
    private var pool: FramePool { instance.editingPool ?? ownPool }

    // MARK: State. [any]

    package var lifecycle: LifecycleState { instance.lifecycle }
    package var fault: String? { instance.fault }
    package var agreement: Agreement? { instance.agreement }
    package var settings: [Setting] { instance.settings }
    package var capabilities: [VideoCapability] { instance.capabilities }
    package var gaveUp: (status: Status, reason: String)? { instance.gaveUp }
    package var isPaused: Bool { instance.isPaused }
    /// A hint for the plugin's author about its answers; nil if none.
    package var answerAdvice: String? { instance.answerAdvice }

    /// The reply to an offer; nil while its step runs, and after a newer offer.
    package func reply(to revision: UInt32) -> Reply? { instance.reply(to: revision) }

    /// The time of all steps so far.
    package var spent: Spent { spending.withLock { $0 } }

    /// The running callback, and its real time so far in nanoseconds.
    package var runningCallback: (step: LifecycleStep, nanoseconds: Int64)? {
        instance.runningCallback
    }

    /// Counts of frames; zeros except for video and share sources.
    package var frames: FrameCounts {
        guard let counts = instance.videoIngest?.counts else { return FrameCounts() }
        return FrameCounts(
            accepted: counts.accepted, leased: counts.leased, abandoned: counts.abandoned,
            stale: counts.staleRevision, refused: counts.refused.refusals,
            refusedCalls: counts.refusedCalls.refusals)
    }

    /// Counts of audio blocks; zeros except for audio sources.
    package var blocks: BlockCounts {
        guard let statistics = instance.audioIngest?.statistics else { return BlockCounts() }
        return BlockCounts(
            accepted: statistics.counts.accepted, refused: statistics.counts.refused.refusals)
    }
}

/// Counts of a plugin's frames; refusals by status name.
package struct FrameCounts: Equatable, Sendable {
    package var accepted = 0
    /// Accepted frames that were leased.
    package var leased = 0
    package var abandoned = 0
    /// Accepted frames for an older offer, after its grace time.
    package var stale = 0
    package var refused: [String: Int] = [:]
    /// Refused calls without a frame.
    package var refusedCalls: [String: Int] = [:]
}

/// Counts of a plugin's audio blocks; refusals by status name.
package struct BlockCounts: Equatable, Sendable {
    package var accepted = 0
    package var refused: [String: Int] = [:]
}

/// Passes audio to a closure.
private final class ClosureSink: AudioSink {
    private let onAudio: @Sendable (Span<Int16>) -> Void

    init(onAudio: @escaping @Sendable (Span<Int16>) -> Void) { self.onAudio = onAudio }

    func write(_ samples: Span<Int16>) { onAudio(samples) }
    func finish(until deadline: Int64) {}
}
