package import GreenroomModel
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
/// The harness has a session's control thread, ingests, clock and media threads, but makes no
/// decisions: it does not negotiate, end the plugin at a deadline, or open outputs.
///
/// Threads: one thread leads, from ``init(_:on:as:deadlineNanoseconds:frameLimit:sinks:)`` to
/// ``leave()``; any thread may read properties.
package final class PluginHarness: Sendable {
    /// The result of a step.
    package enum StepEnd: Equatable, Sendable {
        case done
        /// The plugin refused the step, or created an instance that breaks a rule.
        case refused(Status, FailureReason)
        /// The lifecycle does not allow the step from this state.
        case illegal(LifecycleState)
        /// The plugin is still in start-send and waits there for session time. start-send returns
        /// when the plugin is stopped.
        case pumps
        /// The step did not return in time.
        case hangs
        /// The plugin's process is lost, with the reason.
        case lost(String)
    }

    /// Receives the plugin's media and events.
    package struct Sinks: Sendable {
        /// Receives each frame, in order, with its arrival time on the session clock.
        package var onFrame: @Sendable (borrowing VideoFrame, Int64) -> Void
        /// Receives the audio: 48 kHz stereo in 10 ms blocks from the start of the harness,
        /// including silence.
        package var onAudio: @Sendable (Span<Int16>) -> Void
        /// Receives the events that a session would report.
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
        /// The longest step; nil if no step has run.
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
        /// The pre-processor still holds the frame.
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
    ///   - number: The plugin's number on the clock.
    ///   - deadlineNanoseconds: The real time limit of a step, measured so that delays of a busy
    ///     machine count little.
    ///   - hanging: The steps that are known to hang. The harness waits for them only briefly.
    ///   - frameLimit: The limit of the plugin's frames in use.
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
        // Discard the media of a call's participants, at the normal pace.
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
            case .delayed: continue
            case .end: return
            }
        }
    }

    /// Ends the threads of the sinks, and ends the plugin if it still runs.
    package func leave() {
        if instance.lifecycle != .destroyed {
            instance.giveUp(because: "the harness is over")
        }
        driver?.stop()
        input?.close()
        editor?.close()
        audioEditor?.close()
        audioMixer?.finish(at: 0)
        // A virtual clock and its threads may stand still for a plugin that hangs.
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
    ///   - offer: The offer. For a pre-processor, one row with the size of its frames; nil for
    ///     kinds without offers.
    ///   - capability: The size and rate of the tracks described to an output; nil if the default.
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
        // Continue as after an answer to an unacceptable offer.
        let ended = end(instance.beginUninitialize())
        return ended == .done ? described : ended
    }

    /// Initializes the plugin, and describes no tracks.
    package func initializeOnly(_ offer: Offer?) -> StepEnd {
        end(instance.beginInitialize(offer: offer))
    }

    /// The reason why the plugin's life is lost.
    package var failure: PluginFailure { instance.failure() }

    /// Offers a change. ``reply(to:)`` returns the reply.
    package func propertyChange(_ offer: Offer) -> StepEnd {
        end(instance.beginPropertyChange(offer: offer))
    }

    /// Passes the demands for participants' tracks to a call.
    package func demand(_ demands: [Demand]) -> StepEnd { end(instance.beginDemands(demands)) }

    package func set(_ setting: PluginSetting) -> StepEnd {
        end(instance.beginSetParameter(setting))
    }

    /// Starts the plugin, and starts to pass media to an output.
    package func startSend() -> StepEnd {
        let started = end(instance.beginStartSend())
        if started == .done { driver?.start(tracks.withLock { $0.capability }) }
        return started
    }

    /// Stops the plugin. An output first receives its remaining media.
    package func stopSend() -> StepEnd {
        driver?.stop()
        return end(instance.beginStopSend())
    }

    package func uninitialize() -> StepEnd { end(instance.beginUninitialize()) }
    package func destroy() -> StepEnd { end(instance.beginDestroy()) }

    /// Changes a parameter without checking its name, type or value.
    package func setUnchecked(_ setting: PluginSetting) -> StepEnd {
        end(instance.beginAsking(.setParameter, .setParameter(setting)))
    }

    /// Asks the plugin for an extension.
    ///
    /// - Returns: The result of the call, and the extension's address; nil if none.
    package func ask(forExtension id: String) -> (end: StepEnd, address: UInt64?) {
        let found = Mutex<UInt64>(0)
        let end = end(
            instance.beginAsking(.getExtension, .getExtension(id)) { reply in
                found.withLock { $0 = reply.address }
            })
        let address = found.withLock { $0 }
        return (end, address == 0 ? nil : address)
    }

    /// The clock for calls that may hang.
    private var host: HostClock { clock.session.host }

    /// The time between checks, in nanoseconds.
    private static let pollInterval: Int64 = 10_000_000
    /// The time that the clock stands still for a callback, in nanoseconds of real time.
    private static let stillNanoseconds: Int64 = 500_000_000

    private func end(_ step: PluginInstance.PendingStep) -> StepEnd {
        let isStart = step.step == .startSend
        let begin = host.now
        defer {
            let taken = host.now - begin
            spending.withLock { $0.add(step.step, nanoseconds: taken) }
        }
        // Count checks, because a busy machine delays each check as much as the plugin.
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
            // A source that never waits may have much to send before it returns.
            if isStart, instance.hasWaited { return .pumps }
            left -= Self.pollInterval
            if left <= 0 {
                // As in a session, loading and a busy machine cost `create` no time.
                if step.step == .create, !isStuck, left > -LoadDeadline.mostDelay,
                    let running = runningCallback,
                    running.nanoseconds - instance.createWaitNanoseconds < limit
                {
                    continue
                }
                if !isStuck { late.withLock { $0 = step.step } }
                return .hangs
            }
            // Advance the clock: a callback may wait for a plugin thread that waits on the clock,
            // for example to restart its pump.
            if step.step == .propertyChange, limit - left > Self.stillNanoseconds,
                let due = clock.session.release(callbackOf: instance.number, until: nil)
            {
                _ = wait(nanoseconds: max(due - clock.now, 0) + 1)
            }
        }
    }

    /// Whether a step that did not return in time still runs, so that the next step must wait for
    /// it.
    private var isStuck: Bool { late.withLock { $0 != nil && $0 == runningCallback?.step } }

    private func stepEnd(_ result: PluginInstance.StepResult) -> StepEnd {
        switch result {
        // A failed create has ended the instance, which is no loss.
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
    /// - Returns: The reason that the plugin was lost; nil if it was not.
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

    /// The tracks announced to an output.
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

    /// Asks an output for its want for a track, without applying the want.
    ///
    /// - Parameter want: The value before the call, which the output may overwrite.
    package func ask(about track: OutputTrack, _ want: inout gr_want) -> StepEnd {
        let written = Mutex(want)
        let end = end(
            instance.beginAsking(.track, .track(track, want: want)) { reply in
                written.withLock { $0 = reply.want }
            })
        want = written.withLock { $0 }
        return end
    }

    /// The senders of a call's open tracks.
    package var openSenders: [UInt64] { roster?.openSenders ?? [] }

    /// Whether the last initialize failed because the output refused a track or had an impossible
    /// want for it.
    package var hasRefusedTrack: Bool { tracks.withLock { $0.isRefused } }

    /// The wants of an output, by track.
    package var wants: [(track: OutputTrack, want: TrackRequest)] { feed?.wants ?? [] }
    /// The values that an output has set for the report.
    package var reportedValues: [String: Double] { feed?.reportedValues ?? [:] }
    /// The number of frames that an output keeps.
    package var keptFrames: Int { feed?.keptCount ?? 0 }
    /// A description of the read-only frames that the output modified; nil if none.
    package var writtenFrame: String? { driver?.written }
    /// The real time that an output's media call has run, in nanoseconds; nil if none runs.
    package var mediaNanoseconds: Int64? { instance.mediaNanoseconds }

    // MARK: Frames for a pre-processor

    /// Calls the pre-processor to edit a frame.
    ///
    /// - Parameters:
    ///   - size: The size of the I420 frame.
    ///   - fill: Fills the frame before the call.
    /// - Returns: The edited frame; nil if there is too little memory or the plugin is not a
    ///   pre-processor.
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

    /// The declaration of the audio pre-processor; nil before `create` and if the plugin is of
    /// another kind.
    package var audioEditing: AudioEditing? { instance.declared }

    /// Calls the audio pre-processor to edit a block.
    ///
    /// - Parameter samples: The 480 stereo frames to edit.
    /// - Returns: The status, and the duration in nanoseconds of real time; nil if the call has not
    ///   returned in time, or the plugin is not an audio pre-processor.
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
    package var settings: [PluginSetting] { instance.settings }
    package var capabilities: [VideoCapability] { instance.capabilities }
    package var gaveUp: (status: Status, reason: String)? { instance.gaveUp }
    package var isPaused: Bool { instance.isPaused }
    /// A hint for the plugin's author about its answers; nil if none.
    package var answerAdvice: String? { instance.answerAdvice }

    /// The reply to an offer; nil while the step runs, and after a newer offer.
    package func reply(to revision: UInt32) -> Reply? { instance.reply(to: revision) }

    /// The time of all steps so far.
    package var spent: Spent { spending.withLock { $0 } }

    /// The running callback, and its real time so far in nanoseconds.
    package var runningCallback: (step: LifecycleStep, nanoseconds: Int64)? {
        instance.runningCallback
    }

    /// The counts of frames; zeros unless the plugin is a video or share source.
    package var frames: FrameCounts {
        guard let counts = instance.videoIngest?.counts else { return FrameCounts() }
        return FrameCounts(
            accepted: counts.accepted, leased: counts.leased, abandoned: counts.abandoned,
            stale: counts.staleRevision, refused: counts.refused.refusals,
            refusedCalls: counts.refusedCalls.refusals)
    }

    /// The counts of audio blocks; zeros unless the plugin is an audio source.
    package var blocks: BlockCounts {
        guard let statistics = instance.audioIngest?.statistics else { return BlockCounts() }
        return BlockCounts(
            accepted: statistics.counts.accepted, refused: statistics.counts.refused.refusals)
    }
}

/// The counts of a plugin's frames, with refusals by status name.
package struct FrameCounts: Equatable, Sendable {
    package var accepted = 0
    /// The accepted frames that were leased.
    package var leased = 0
    package var abandoned = 0
    /// The accepted frames for an older offer, after its grace time.
    package var stale = 0
    package var refused: [String: Int] = [:]
    /// The refused calls without a frame.
    package var refusedCalls: [String: Int] = [:]
}

/// The counts of a plugin's audio blocks, with refusals by status name.
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
