public import GreenroomMedia
internal import Synchronization

/// Makes and sends sound in blocks of 10 ms, on a thread of its own.
///
/// Every sample has its place on the session clock, exactly: a rate without a whole 10 ms
/// block has blocks of two lengths in turn. A pump that is late catches up; one that is later
/// than the sender's queue is long (200 ms) skips to the present and counts what it skipped. It
/// keeps the contract of <doc:PaceAudio>: its sound is never refused for its pace.
public final class AudioPump: Sendable {
    /// Samples of each channel, by their fate.
    public struct Counts: Equatable, Sendable {
        /// Made and taken by the host.
        public var sent: Int64 = 0
        /// Never made, because the pump was late.
        public var skipped: Int64 = 0
    }

    private let core: AudioPumpCore
    private let thread: PluginThread

    /// Starts a pump; its first block is due now.
    ///
    /// - Parameters:
    ///   - sender: Where the sound goes. Its host's clock is the pump's.
    ///   - format: 8000 to 192000 Hz, one or two channels.
    ///   - fill: Makes the samples of a block, channels interleaved; they are silent at first.
    ///     Runs on the pump's thread only. What it throws gives the source up.
    /// - Throws: A ``PluginError`` if the format is not legal or no thread can be had.
    public init(
        sender: AudioSender, format: AudioFormat,
        fill: sending @escaping (inout MutableSpan<Int16>, SampleTime) throws -> Void
    ) throws {
        guard format.isLegal else {
            throw PluginError(
                "cannot send \(format.sampleRate) Hz on \(format.channels) channels: "
                    + "8000 to 192000 Hz on 1 or 2 channels can be sent")
        }
        let core = AudioPumpCore(sender: sender, format: format)
        self.core = core
        thread = try PluginThread(name: "audio pump") { core.run(fill) }
    }

    /// The samples until now.
    public var counts: Counts { core.counts.withLock { $0 } }

    /// Ends the pump; nothing is sent once it has returned. Called from the callback that stops
    /// it waits for the block that is being made at most.
    public func stop() {
        core.isStopping.store(true, ordering: .relaxed)
        thread.join()
    }

    deinit { stop() }
}

/// When a block of sound begins.
public struct SampleTime: Equatable, Sendable {
    /// The number of its first sample since the start, of each channel. Numbers that are
    /// missing were skipped.
    public var index: Int64
    /// Seconds since the start.
    public var seconds: Double
    /// Nanoseconds on the session clock, the block's stamp.
    public var ptsNanoseconds: Int64

    /// Makes a time.
    public init(index: Int64, seconds: Double, ptsNanoseconds: Int64) {
        self.index = index
        self.seconds = seconds
        self.ptsNanoseconds = ptsNanoseconds
    }
}

/// What the pump's thread and its owner share.
private final class AudioPumpCore: Sendable {
    let sender: AudioSender
    let format: AudioFormat
    let schedule: SampleSchedule
    let counts = Mutex(AudioPump.Counts())
    let isStopping = Atomic(false)

    init(sender: AudioSender, format: AudioFormat) {
        self.sender = sender
        self.format = format
        schedule = SampleSchedule(
            startNanoseconds: sender.host.nowNanoseconds, sampleRate: format.sampleRate)
    }

    /// The pump's thread.
    func run(_ fill: (inout MutableSpan<Int16>, SampleTime) throws -> Void) {
        let host = sender.host
        var samples = [Int16]()
        samples.reserveCapacity(schedule.largestCount * format.channels)
        var next: Int64 = 0
        while true {
            let block = schedule.block(next: next, nowNanoseconds: host.nowNanoseconds)
            let first = schedule.firstSample(ofBlock: block)
            let skipped = first - schedule.firstSample(ofBlock: next)
            let due = schedule.due(sample: first)
            guard host.wait(untilNanoseconds: due) == .ok, !isStopping.load(ordering: .relaxed)
            else { break }
            let time = SampleTime(
                index: first, seconds: Double(first) / Double(format.sampleRate),
                ptsNanoseconds: due)
            let count = schedule.count(ofBlock: block)
            do {
                try send(&samples, count * format.channels, time, fill)
                counts.withLock { counts in
                    counts.sent += Int64(count)
                    counts.skipped += skipped
                }
            } catch let refusal as SendRefusal where refusal.isEnd {
                break
            } catch {
                host.giveUp(error)
                break
            }
            next = block + 1
        }
        report()
    }

    private func send(
        _ samples: inout [Int16], _ count: Int, _ time: SampleTime,
        _ fill: (inout MutableSpan<Int16>, SampleTime) throws -> Void
    ) throws {
        // Within the capacity: nothing is allocated.
        samples.removeAll(keepingCapacity: true)
        samples.append(contentsOf: repeatElement(0, count: count))
        var block = samples.mutableSpan
        try fill(&block, time)
        try sender.send(
            samples.span, format: format, ptsNanoseconds: time.ptsNanoseconds,
            patience: .untilThereIsRoom)
    }

    private func report() {
        let counts = counts.withLock { $0 }
        guard counts.skipped > 0 else { return }
        sender.host.log(
            .warning,
            "of \(counts.sent + counts.skipped) samples \(counts.skipped) were skipped because "
                + "making them was late")
    }
}
