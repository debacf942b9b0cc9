package import GreenroomModel
import GreenroomABI
package import GreenroomAudio
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomMedia
package import GreenroomRuntime

/// The host's end of an audio sender: checks every block, converts it to the session's rate, and
/// queues it at its position on the session's timeline.
///
/// Threads: any. Blocks of one sender are resampled in sequence under the ingest's lock, on the
/// sending thread.
package final class AudioIngest: AudioSource, Sendable {
    /// Counters of blocks.
    package struct Counts: Sendable {
        /// Blocks sent, with any result; not a block that a stop has overtaken.
        package var sent = 0
        /// Blocks queued.
        package var accepted = 0
        /// Refused blocks, by status.
        package var refused = StatusCounts()
        /// Bytes copied from the plugin's memory.
        package var bytesCopied = 0
        /// Blocks that were resampled.
        package var resampled = 0
    }

    /// The statistics of a source's audio.
    package struct Statistics: Sendable {
        /// The counters of blocks.
        package var counts: Counts
        /// The counters of frames.
        package var queue: JitterBuffer.Counts
        /// Frames that are queued.
        package var queued: Int
        /// The level of the samples.
        package var level: AudioLevel
        /// The ratio of received audio to elapsed time.
        package var pacing: AudioPacing
        /// The statistics of the timestamps.
        package var stamps: TimestampNormalizer
        /// The drift of the sample clock, in ppm: positive if faster than the session's clock; nil
        /// if there is none.
        package var driftPPM: Double?
    }

    private let role: String
    private let isOfParticipant: Bool
    private let order: ClockOrder
    private let clock: SessionClock
    private let events: SessionEvents
    private let state = Monitor(IngestState())

    /// - Parameters:
    /// - role: The source's name in notes.
    /// - number: The number of the plugin's instance.
    /// - isOfParticipant: Whether a call sends the audio for a participant. No plugin author can
    ///   correct such audio, so only the report names its problems.
    /// - events: Receive advice for the source's author, each item once.
    package init(
        role: String, number: Int, isOfParticipant: Bool = false, clock: SessionClock,
        events: SessionEvents
    ) {
        order = .plugin(number)
        self.role = role
        self.isOfParticipant = isOfParticipant
        self.clock = clock
        self.events = events
    }

    /// Begins the session's timeline. Drops audio for earlier times.
    package func begin(epoch: Int64) {
        state.change { $0.begin(epoch: epoch) }
    }

    /// Sets the ingest's status from a state of the lifecycle, and ends waits.
    ///
    /// A stopped source is muted from now on: audio for later times is cut, and audio for earlier
    /// times still plays. All audio of an ended source plays.
    func follow(_ lifecycle: LifecycleState) {
        let now = clock.now
        state.change { $0.follow(LifecycleTable.senderStatus(in: lifecycle), at: now) }
    }

    /// Records that the source has ended in order and owes no more audio. [any]
    package func rest() { state.change { $0.rest() } }

    /// The refusals since the start, or since the last accepted block. [any]
    var refusalsInARow: RefusalsInARow { state.withLock { $0.refusalsInARow } }

    /// Calls a closure once, after the next accepted block. [any]
    func onNext(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.onNext = wake } }

    /// Records that a plugin has paused or resumed the source, or the source's share. [any]
    package func pause(_ isPaused: Bool, by plugin: Int) {
        let now = clock.now
        state.withLock { $0.pause(isPaused, by: plugin, at: now) }
    }

    /// Records whether the source has nothing new to send. [any]
    func hold(_ isHeld: Bool) { state.withLock { $0.hold(isHeld) } }

    /// Counts blocks that the source could not decode. [any]
    func countDamaged(_ count: Int) {
        state.withLock { state in
            guard state.status == .ok else { return }
            state.counts.sent += count
            state.counts.refused.add(.badData, count)
        }
    }

    /// The current statistics. [any]
    package var statistics: Statistics { state.withLock { $0.statistics } }

    /// Checks and queues a block.
    ///
    /// - Parameter timeoutNanoseconds: The longest wait for room, on the session clock; 0 for none,
    ///   negative for no limit.
    func send(
        _ block: UnsafePointer<gr_audio_block>?, timeoutNanoseconds: Int64
    ) throws(Refusal) {
        do throws(Refusal) {
            let checked = Result { () throws(Refusal) in try CheckedBlock(checking: block) }
            let block = try? checked.get()
            let arrival = clock.now
            let isLive = timeoutNanoseconds == 0
            var ended = state.withLock { $0.offer(block, arrival: arrival, isLive: isLive) }
            // A closed sender reports its status before faults of the block.
            if ended?.status == .ok { _ = try checked.get() }
            if ended == nil, !isLive {
                let (end, overflow) = arrival.addingReportingOverflow(timeoutNanoseconds)
                let deadline: Int64? = timeoutNanoseconds < 0 ? nil : overflow ? .max : end
                ended = clock.wait(for: state, until: deadline, as: order) {
                    $0.offer(block, arrival: arrival, isLive: isLive, hasWaited: true)
                }
            }
            guard let ended else {
                if let block { state.withLock { $0.refuse(block, isLive: isLive) } }
                throw Refusal(.queueFull, in: .audioSend)
            }
            tell(ended.finding)
            ended.onNext?()
            guard ended.status == .ok else {
                throw Refusal(status: ended.status, in: .audioSend)
            }
        } catch {
            let isFirst = state.withLock { state in
                guard error.status != .stopped || !state.mayBeOvertaken else {
                    state.mayBeOvertaken = false
                    return false
                }
                state.counts.sent += 1
                state.counts.refused.add(error.status)
                state.refusalsInARow.add(error)
                return state.counts.refused[error.status] == 1
            }
            if isFirst, error.blamesArguments {
                events.send(.note(role: role, text: error.news))
            }
            throw error
        }
    }

    /// Silences the queued audio. [any]
    ///
    /// - Returns: The length of the audio that was silenced, in nanoseconds.
    func clear() throws(Refusal) -> Int64 {
        let (status, frames) = state.change { state in
            (state.status, state.status == .ok ? state.clear() : 0)
        }
        guard status == .ok else { throw Refusal(status: status, in: .audioClear) }
        return Self.nanoseconds(frames)
    }

    /// The time until the last queued sample is heard, in nanoseconds. [any]
    func queued() throws(Refusal) -> Int64 {
        let (status, frames) = state.withLock { ($0.status, $0.unheard) }
        guard status == .ok else { throw Refusal(status: status, in: .audioQueued) }
        return Self.nanoseconds(frames)
    }

    private static func nanoseconds(_ frames: Int64) -> Int64 {
        frames.multipliedReportingOverflow(by: 1_000_000_000).partialValue
            / Int64(AudioFormat.session.sampleRate)
    }

    /// Takes the next samples of the timeline. [the session's audio thread]
    ///
    /// - Parameters:
    /// - frames: The number of frames to take.
    /// - output: A buffer of at least that many stereo frames. Every frame is written.
    /// - Returns: The number of frames that the source had sent.
    @discardableResult
    package func pull(_ frames: Int, into output: inout MutableSpan<Int16>) -> Int {
        let (played, finding): (Int, AudioAnomaly?) = state.change { state in
            (state.pull(frames, into: &output), state.news.popFirst())
        }
        tell(finding)
        return played
    }

    private func tell(_ finding: AudioAnomaly?) {
        guard let finding, !isOfParticipant else { return }
        events.send(.note(role: role, text: finding.text))
    }
}

/// An audio block of a plugin whose every declaration has been checked.
struct CheckedBlock {
    var format: AudioFormat
    var frames: Int
    var ptsNanoseconds: Int64?
    private var samples: UnsafePointer<Int16>

    /// Checks a block without reading a sample.
    init(checking block: UnsafePointer<gr_audio_block>?) throws(Refusal) {
        let call = HostFunction.audioSend
        let block = try readStruct(block, in: call)
        guard AudioFormat.legalRates.contains(Int(block.sample_rate_hz)) else {
            throw Refusal(.rate(block.sample_rate_hz), in: call)
        }
        guard (1...2).contains(block.channels) else {
            throw Refusal(.channels(block.channels), in: call)
        }
        guard block.frame_count > 0 else { throw Refusal(.emptyBlock, in: call) }
        let rate = Int(block.sample_rate_hz)
        // 100 ms of 11025 Hz are 1102.5 frames: the half frame is the plugin's.
        let longest = (rate * AudioFormat.longestBlockMilliseconds + 999) / 1000
        guard Int(block.frame_count) <= longest else {
            throw Refusal(.longBlock(frames: block.frame_count, longest: longest), in: call)
        }
        guard let samples = block.samples else { throw Refusal(.null, in: call) }
        guard UInt(bitPattern: samples) % 2 == 0 else { throw Refusal(.misaligned, in: call) }
        let needed = Int(block.frame_count) * Int(block.channels) * 2
        guard block.size_bytes >= UInt64(needed) else {
            throw Refusal(.blockLength(block.size_bytes, needed: needed), in: call)
        }
        guard block.pts_ns >= 0 || block.pts_ns == unstampedPTS else {
            throw Refusal(.timestamp(block.pts_ns), in: call)
        }
        format = AudioFormat(sampleRate: rate, channels: Int(block.channels))
        frames = Int(block.frame_count)
        ptsNanoseconds = block.pts_ns == unstampedPTS ? nil : block.pts_ns
        self.samples = samples
    }

    /// The most frames of the block at the session's rate.
    var mostSessionFrames: Int {
        Resampler.frameLimit(
            from: frames, at: format.sampleRate, to: AudioFormat.session.sampleRate)
    }

    /// Passes the samples to a body. The plugin owns the samples until `send` returns.
    func withSamples(_ body: (Span<Int16>) -> Void) {
        let buffer = UnsafeBufferPointer(start: samples, count: frames * format.channels)
        body(Span(_unsafeElements: buffer))
    }
}
