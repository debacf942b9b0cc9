import GreenroomAudio
import GreenroomMedia
import GreenroomNegotiation
import GreenroomRuntime

/// The state of an audio ingest, under its lock: it carries a block from the sender to its
/// position.
struct IngestState: ~Copyable, Sendable {
    /// The status for the sender, and pending log messages.
    struct Answer: Sendable {
        var status: Status
        var finding: AudioAnomaly?
        /// Called once a block was accepted.
        var onNext: (@Sendable () -> Void)?
    }

    /// The number of stored frames of audio that is queued unchanged. If later blocks must be
    /// resampled, the resampler starts with these frames.
    private static let tailFrames = 160
    /// The share of clipped samples in a window above which clipping is reported.
    private static let clippingTolerance = 0.001
    /// The deviation of audio from its time, in nanoseconds, above which the audio is moved.
    private static let stepTolerance = 10e6
    /// The delay, in frames, that audio without a predecessor may have before audio without a place is dropped:
    /// 40 ms.
    private static let lateTolerance: Int64 = 1920
    /// The time for which audio must be on time, in nanoseconds, before the extra delay ends: initial value
    /// and maximum.
    private static let recoveryTimes: ClosedRange<Int64> = 1_000_000_000...60_000_000_000
    /// The offset above which an offset is reported, as a part of full scale.
    private static let offsetTolerance = 0.01

    private(set) var status = Status.notStarted
    var counts = AudioIngest.Counts()
    /// Called once, after the next accepted block.
    var onNext: (@Sendable () -> Void)?
    var refusalsInARow = RefusalsInARow()
    /// Whether a block may still come that the plugin was sending when it was stopped.
    var mayBeOvertaken = false
    /// Pending log messages, oldest first.
    var news = Ring<8, AudioAnomaly>()

    /// The origin of positions, on the session clock: the timeline's start, or the first block's
    /// time while the start is unknown.
    private var epoch: Int64?
    /// The time of the source's last start. The source has recorded nothing earlier.
    private var started = Int64.min
    private var queue = JitterBuffer()
    private var converter: AudioConverter?
    private var stamps = TimestampNormalizer()
    private var clock = AudioClockRecovery()
    /// The time at which audio last arrived too late; nil if audio plays at its timestamps.
    private var lastLate: Int64?
    /// Backoff of that time. Without it, a source with repeated delays would lose audio at each
    /// return.
    private var recoveryTime = Self.recoveryTimes.lowerBound
    private var pacing = AudioPacing()
    private var level = AudioLevel()
    /// The level of the last two seconds, not yet part of the total level.
    private var levelNow = AudioLevel()
    private var told = AudioAnomaly.Kinds()
    /// The numbers of the plugins that have paused the source or the source's share.
    private var pausers: Set<Int> = []
    /// Whether the source has nothing new to send.
    private var isHeld = false
    /// The latest frames that were queued without resampling, with their format.
    private var tail = [Int16](repeating: 0, count: 2 * tailFrames)
    private var tailFormat: AudioFormat?

    var statistics: AudioIngest.Statistics {
        var level = level
        level.add(levelNow)
        return AudioIngest.Statistics(
            counts: counts, queue: queue.counts, queued: queue.queued, level: level,
            pacing: pacing, stamps: stamps, driftPPM: clock.driftPPM)
    }

    // MARK: The source's life

    mutating func begin(epoch: Int64) {
        let before = self.epoch ?? epoch
        self.epoch = epoch
        let shift = place(of: before)
        queue.move(by: shift)
        clock.move(by: shift)
        if shift != 0 { pacing.restart() }
    }

    mutating func follow(_ status: Status, at now: Int64) {
        guard status != self.status else { return }
        mayBeOvertaken = status == .stopped && self.status == .ok
        self.status = status
        pacing.restart()
        tailFormat = nil
        if status == .ok {
            started = now
            refusalsInARow.end()
            stamps.restart()
            queue.start(at: place(of: now))
            return
        }
        converter?.drain(into: &queue)
        converter = nil
        if status == .stopped { queue.stop(at: place(of: now)) } else { queue.finish() }
    }

    /// Records that the source has ended in order.
    mutating func rest() { queue.rest() }

    /// Records that a plugin has paused or resumed the source. A paused source owes no audio.
    mutating func pause(_ isPaused: Bool, by plugin: Int, at now: Int64) {
        let was = !pausers.isEmpty
        if isPaused { pausers.insert(plugin) } else { pausers.remove(plugin) }
        guard was == pausers.isEmpty else { return }
        pacing.restart()
        if was { queue.resume(at: place(of: now)) } else { queue.pause(at: place(of: now)) }
    }

    /// Records whether the source has nothing new to send. Its silence says nothing about its pace.
    mutating func hold(_ isHeld: Bool) {
        if self.isHeld { pacing.restart() }
        self.isHeld = isHeld
    }

    /// Silences the queued audio.
    ///
    /// - Returns: The frames that were silenced.
    mutating func clear() -> Int64 {
        converter?.drain(into: &queue)
        converter = nil
        tailFormat = nil
        return queue.clear()
    }

    /// The frames until the last audio is heard.
    var unheard: Int64 { queue.unheard }

    /// The place of a time, in frames from the session's start.
    private func place(of moment: Int64) -> Int64 {
        // Whole frames, rounded down.
        let time = Int128(moment) - Int128(epoch ?? moment)
        let scaled = time * Int128(AudioFormat.session.sampleRate)
        let (place, rest) = scaled.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Int64(clamping: rest < 0 ? place - 1 : place)
    }

    // MARK: Blocks

    /// Takes a block if there is room. Checks and takes it under one lock, so that no other
    /// thread's block intervenes.
    ///
    /// - Parameter block: The block; nil for an invalid one, which is not taken.
    /// - Returns: The answer; nil if the queue is full.
    mutating func offer(
        _ block: CheckedBlock?, arrival: Int64, isLive: Bool, hasWaited: Bool = false
    ) -> Answer? {
        guard status == .ok, let block else { return Answer(status: status) }
        guard hasRoom(for: block) else { return nil }
        take(block, arrival: arrival, isLive: isLive, hasWaited: hasWaited)
        return Answer(status: .ok, finding: news.popFirst(), onNext: onNext.take())
    }

    /// Whether the queue has room for a block.
    mutating func hasRoom(for block: CheckedBlock) -> Bool {
        guard !isTakenAsItIs(block) else { return queue.room >= block.frames }
        // A converter of another format drains its samples first.
        let held = converter?.format == block.format ? 0 : converter?.heldFrames ?? 0
        return queue.room >= block.mostSessionFrames + held
    }

    /// Counts a block that was refused for lack of room.
    ///
    /// - Parameter isLive: Whether the source sends at its own pace.
    mutating func refuse(_ block: CheckedBlock, isLive: Bool) {
        pacing.send(
            block.frames, rate: block.format.sampleRate, isRefused: true, isPaced: !isLive)
        clock.pause()
        // The next block is not contiguous with the previous block.
        queue.breakOff()
    }

    /// Takes a block.
    ///
    /// - Parameters:
    /// - arrival: The time at which the block was sent.
    /// - isLive: Whether the source sends at its own pace. If so, the block's first sample is older
    ///   than the block's length.
    /// - hasWaited: Whether the block had to wait for room.
    mutating func take(_ block: CheckedBlock, arrival: Int64, isLive: Bool, hasWaited: Bool) {
        let isHeard = isLive || block.ptsNanoseconds != nil
        let duration = Int64(block.frames) * 1_000_000_000 / Int64(block.format.sampleRate)
        let (moment, finding) = stamps.follow(
            block.ptsNanoseconds,
            arrival: isHeard ? max(arrival - duration, min(started, arrival)) : arrival)
        // Audio without stamps is valid as long as its pace is right.
        if let finding, finding != .missing { tell(.stamps(finding)) }
        epoch = epoch ?? moment
        clock.correct(by: stamps.driftCorrection, ppm: stamps.driftPPM ?? 0)
        if !queue.isContinuous {
            begin(at: moment, arrival: arrival, isStamped: block.ptsNanoseconds != nil)
        } else if let last = lastLate, block.ptsNanoseconds != nil {
            endLateness(since: last, at: moment, arrival: arrival)
        }
        if hasWaited {
            clock.pause()
        } else {
            look(
                at: clock.observe(moment: moment, isStamped: block.ptsNanoseconds != nil))
        }
        counts.sent += 1
        counts.accepted += 1
        refusalsInARow.end()
        counts.bytesCopied += block.frames * block.format.channels * 2
        pacing.send(
            block.frames, rate: block.format.sampleRate, isRefused: false, isPaced: !isLive)
        block.withSamples { samples in
            look(at: samples, of: block.format)
            if isTakenAsItIs(block) {
                // A converter of another format drains its samples first.
                converter?.drain(into: &queue)
                converter = nil
                queue.append(samples, channels: block.format.channels)
                keepTail(of: samples, block.format)
            } else {
                counts.resampled += 1
                convert(samples, of: block.format, moment: moment)
            }
        }
        clock.count(block.frames, of: block.format)
    }

    /// Sets the position of the next sample, which follows no other.
    ///
    /// If that position is already taken, because the source sent more than fits, stamped audio is dropped up to
    /// the next free position; otherwise all later audio would be late. If instead the source's audio arrives too
    /// late for its positions, nothing is dropped, because that would drop all of it.
    private mutating func begin(at moment: Int64, arrival: Int64, isStamped: Bool) {
        let isFirst = !queue.hasBegun
        let place = place(of: moment)
        queue.begin(at: place)
        let late = queue.end - place
        let isLate = isStamped && !isFirst && late > Self.lateTolerance
        clock.begin(at: queue.end, moment: moment)
        lastLate = nil
        if isLate {
            if Self.isInTime(moment, arrival) { leaveOut(late) } else { lastLate = arrival }
        }
        tailFormat = nil
    }

    /// Skips frames to remove a lateness when the cause has ended.
    private mutating func endLateness(since last: Int64, at moment: Int64, arrival: Int64) {
        guard Self.isInTime(moment, arrival) else {
            lastLate = arrival
            return
        }
        guard arrival &- last >= recoveryTime else { return }
        let late = queue.end + Int64(converter?.heldFrames ?? 0) - queue.surplus - place(of: moment)
        lastLate = nil
        guard late > Self.lateTolerance else { return }
        leaveOut(late)
        recoveryTime = min(2 * recoveryTime, Self.recoveryTimes.upperBound)
    }

    private static func isInTime(_ moment: Int64, _ arrival: Int64) -> Bool {
        arrival &- moment < SessionTimeline.playoutDelay
    }

    /// Skips the next frames, because there is more audio than time.
    private mutating func leaveOut(_ frames: Int64) {
        queue.skip(frames)
        pacing.skip(Int(clamping: frames))
        clock.leaveOut(frames)
    }

    /// Adjusts the queue after a step of the clock. Lost samples leave a gap, and repeated samples
    /// are skipped, so that later samples play at their times.
    private mutating func look(at event: ClockDriftEstimator.Event?) {
        switch event {
        case nil: break
        case .drifts: tell(.drifting(ppm: clock.driftPPM ?? 0))
        case .stepped(let nanoseconds) where nanoseconds > Self.stepTolerance: queue.breakOff()
        case .stepped(let nanoseconds) where nanoseconds < -Self.stepTolerance:
            leaveOut(Int64(-nanoseconds * Double(AudioFormat.session.sampleRate) / 1e9))
        case .stepped: break
        }
    }

    /// Whether a block is queued unchanged, because its rate is the session's and its clock does
    /// not drift.
    private func isTakenAsItIs(_ block: CheckedBlock) -> Bool {
        block.format.sampleRate == AudioFormat.session.sampleRate && !clock.hasDrifted
    }

    private mutating func convert(
        _ samples: Span<Int16>, of format: AudioFormat, moment: Int64
    ) {
        if converter?.format != format {
            converter?.drain(into: &queue)
            converter =
                tailFormat == format
                ? AudioConverter(
                    from: format,
                    after: tail.span.extracting(..<(Self.tailFrames * format.channels)))
                : AudioConverter(from: format)
            tailFormat = nil
        }
        if clock.hasDrifted, let held = converter?.heldFrames {
            let place = Double(queue.end) + Double(held)
            converter?.stretch { [clock] in clock.stretch(at: place, moment: moment) }
        }
        if converter == nil {
            // Without memory for a converter, the audio is counted and not queued.
            let frames = samples.count / format.channels
            queue.countCut(frames * AudioFormat.session.sampleRate / format.sampleRate)
        }
        converter?.convert(samples, into: &queue)
    }

    /// Stores the end of the audio that was queued unchanged. Shorter blocks are rare and store
    /// nothing.
    private mutating func keepTail(of samples: Span<Int16>, _ format: AudioFormat) {
        let count = Self.tailFrames * format.channels
        guard samples.count >= count else {
            tailFormat = nil
            return
        }
        let first = samples.count - count
        for index in 0..<count { tail[index] = samples[first + index] }
        tailFormat = format
    }

    private mutating func look(at samples: Span<Int16>, of format: AudioFormat) {
        levelNow.observe(samples, channels: format.channels)
        guard levelNow.samples >= 2 * format.sampleRate * format.channels else { return }
        let clipped = Double(levelNow.clipped) / Double(levelNow.samples)
        if clipped > Self.clippingTolerance { tell(.clipping(clipped)) }
        let offset = levelNow.dcOffset
        if abs(offset) > Self.offsetTolerance { tell(.offset(offset)) }
        level.add(levelNow)
        levelNow = AudioLevel()
    }

    // MARK: Time

    @discardableResult
    mutating func pull(_ frames: Int, into output: inout MutableSpan<Int16>) -> Int {
        // The source is late: the last samples that the converter holds are due now.
        if queue.isContinuous, queue.queued < frames { converter?.drain(into: &queue) }
        let before = queue.counts
        let played = queue.pull(frames, into: &output)
        guard queue.isSending, queue.hasBegun, pausers.isEmpty, !isHeld else { return played }
        let finding = pacing.pass(
            frames, concealed: queue.counts.concealed - before.concealed)
        if let finding { tell(finding) }
        return played
    }

    private mutating func tell(_ finding: AudioAnomaly) {
        if finding.kind != [] {
            guard told.insert(finding.kind).inserted else { return }
        }
        _ = news.append(finding)
    }
}
