import GreenroomABI
import GreenroomMedia

/// The host's end of an audio sender: checks every block, brings it to the session's rate, and
/// queues it.
///
/// Threads: any. Blocks of one sender are resampled one after another under the gate's lock,
/// on the thread that sends them.
final class AudioGate: Sendable {
    /// What came through the gate, and what did not.
    struct Counts: Sendable {
        /// Blocks sent, whatever came of them.
        var sent = 0
        /// Blocks queued.
        var accepted = 0
        /// Refused blocks, by status.
        var refused = StatusCounts()
        /// Frames of the source's own rate that were queued.
        var frames = 0
        /// Bytes copied from the plugin's memory.
        var bytesCopied = 0
        /// Blocks whose stamp was not on the session clock.
        var restamped = 0
        /// Blocks that had to be resampled.
        var resampled = 0
    }

    private struct State: ~Copyable {
        var status = Status.notStarted
        /// The timeline's start on the session clock; nil before.
        var epoch: Int64?
        var queue = SoundQueue()
        var converter: SoundConverter?
        var counts = Counts()

        mutating func take(_ block: CheckedBlock, arrival: Int64) {
            if !queue.isContinuous {
                var moment = arrival
                if let pts = block.ptsNanoseconds {
                    if StampRule.isCredible(pts, arrival: arrival) {
                        moment = pts
                    } else {
                        counts.restamped += 1
                    }
                }
                let rate = Int64(AudioFormat.session.sampleRate)
                // A credible stamp is within seconds of now, and now within 292 years of the start.
                let place =
                    (Int128(moment) - Int128(epoch ?? moment)) * Int128(rate) / 1_000_000_000
                queue.begin(at: Int64(clamping: place))
            }
            counts.sent += 1
            counts.accepted += 1
            counts.frames += block.frames
            counts.bytesCopied += block.frames * block.format.channels * 2
            if block.format.sampleRate == AudioFormat.session.sampleRate {
                block.withSamples { queue.append($0, channels: block.format.channels) }
                return
            }
            counts.resampled += 1
            if converter == nil || converter?.format != block.format {
                converter = SoundConverter(from: block.format)
            }
            block.withSamples { converter?.convert($0, into: &queue) }
        }
    }

    private let state = Monitor(State())
    private let clock: SessionClock

    init(clock: SessionClock) {
        self.clock = clock
    }

    /// Begins the session's timeline. What was sent before belongs to no time of it, and goes.
    func begin(epoch: Int64) {
        state.change { state in
            state.epoch = epoch
            state.queue.clear()
        }
    }

    /// Makes the gate answer as a state of the lifecycle demands; ends waits that are over.
    func follow(_ lifecycle: LifecycleState) {
        state.change { state in
            state.status = LifecycleTable.senderStatus(in: lifecycle)
            if state.status != .ok {
                state.converter?.drain(into: &state.queue)
                state.converter = nil
                state.queue.end()
            }
        }
    }

    /// What came of the blocks, what came of their frames, and how many frames are queued.
    var counts: (gate: Counts, queue: SoundQueue.Counts, queued: Int) {
        state.withLock { ($0.counts, $0.queue.counts, $0.queue.queued) }
    }

    /// Checks and queues a block.
    ///
    /// - Parameter timeoutNanoseconds: How long to wait for room; 0 not at all, negative until
    ///   there is.
    func send(
        _ block: UnsafePointer<gr_audio_block>, timeoutNanoseconds: Int64
    ) throws(Refusal) {
        do throws(Refusal) {
            let status = state.withLock { $0.status }
            guard status == .ok else { throw Refusal(status: status, in: .audioSend) }
            let block = try CheckedBlock(checking: block)
            let needed = block.sessionFrames
            // Waiting ends with the session clock's time, not with the wall's.
            let deadline: Int64? =
                timeoutNanoseconds < 0
                ? nil : MonotonicClock.deadline(after: timeoutNanoseconds)
            let arrival = clock.now
            // Taken under the same lock as the room was found: another thread's block can't come
            // between.
            let ended: Status? = state.wait(until: deadline) { state in
                if state.status != .ok { return state.status }
                guard state.queue.room >= needed else { return nil }
                state.take(block, arrival: arrival)
                return .ok
            }
            guard let ended else { throw Refusal(.queueFull, in: .audioSend) }
            guard ended == .ok else { throw Refusal(status: ended, in: .audioSend) }
        } catch {
            state.withLock {
                $0.counts.sent += 1
                $0.counts.refused.add(error.status)
            }
            throw error
        }
    }

    /// Takes the next stretch of the timeline. [the session's sound thread]
    ///
    /// - Parameters:
    ///   - frames: How much.
    ///   - output: Room for that many stereo frames or more; they are all written.
    func pull(_ frames: Int, into output: inout MutableSpan<Int16>) {
        state.change { state in
            let isSending = state.status == .ok
            state.queue.pull(frames, into: &output, isSending: isSending)
        }
    }
}

/// An audio block of a plugin whose every declaration has been checked.
struct CheckedBlock {
    var format: AudioFormat
    var frames: Int
    var ptsNanoseconds: Int64?
    private var samples: UnsafePointer<Int16>

    /// Checks a block without reading a sample.
    init(checking block: UnsafePointer<gr_audio_block>) throws(Refusal) {
        let call = SenderCall.audioSend
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

    /// What resampling may add to a block's own length, in frames of the session's rate.
    static let mostRoundingFrames = 2

    /// The most frames that the block becomes at the session's rate.
    var sessionFrames: Int {
        guard format.sampleRate != AudioFormat.session.sampleRate else { return frames }
        return frames * AudioFormat.session.sampleRate / format.sampleRate
            + Self.mostRoundingFrames
    }

    /// Lends the samples, which are the plugin's until `send` returns.
    func withSamples(_ body: (Span<Int16>) -> Void) {
        let buffer = UnsafeBufferPointer(start: samples, count: frames * format.channels)
        body(Span(_unsafeElements: buffer))
    }
}
