public import GreenroomMedia
internal import Synchronization

/// Makes and sends audio in blocks of 10 ms, on a separate thread.
///
/// Every sample has an exact time on the session clock: a rate without a whole 10 ms block alternates
/// between two block lengths. A late pump catches up. A pump that is more than 200 ms late skips to the
/// present, and counts the skipped samples. The host never refuses its audio: see `docs/book/pace-audio.md`.
public final class AudioPump: Sendable {
    /// Samples of each channel, by outcome.
    public struct Counts: Equatable, Sendable {
        /// Made, and accepted by the host.
        public var sent: Int64 = 0
        /// Never made, because the pump was late.
        public var skipped: Int64 = 0
    }

    private let core: AudioPumpCore
    private let thread: PluginThread

    /// Starts a pump; its first block is due now.
    ///
    /// - Parameters:
    ///   - sender: The sender of the audio. The pump uses the clock of its host.
    ///   - format: 8000 to 192000 Hz, one or two channels.
    ///   - fill: Makes the samples of a block, channels interleaved; the block is initially silent.
    ///     Runs on the pump's thread only. An error that it throws ends the source.
    /// - Throws: A ``PluginError`` if the format is not legal or the system can't make a thread.
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

    /// The samples so far.
    public var counts: Counts { core.counts.withLock { $0 } }

    /// Ends the pump: it sends nothing after the return. In the callback that stops sending, the call waits
    /// at most for the current block.
    public func stop() {
        core.isStopping.store(true, ordering: .relaxed)
        thread.join()
    }

    deinit { stop() }
}

/// The start of an audio block.
public struct SampleTime: Equatable, Sendable {
    /// The index of the block's first sample, per channel, counted from the start. A gap means
    /// skipped samples.
    public var index: Int64
    /// Seconds since the start.
    public var seconds: Double
    /// Nanoseconds on the session clock: the block's timestamp.
    public var ptsNanoseconds: Int64

    /// Makes a time.
    public init(index: Int64, seconds: Double, ptsNanoseconds: Int64) {
        self.index = index
        self.seconds = seconds
        self.ptsNanoseconds = ptsNanoseconds
    }
}

/// The state that the pump's thread and its owner share.
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
        var hold = Hold(host)
        defer { hold.set(false) }
        var samples = [Int16]()
        samples.reserveCapacity(schedule.largestCount * format.channels)
        var sleep = ShortestSleep()
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
                try send(&samples, count * format.channels, time) { block, time in
                    try sleep.measure { try fill(&block, time) }
                }
                counts.withLock { counts in
                    counts.sent += Int64(count)
                    counts.skipped += skipped
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
            next = block + 1
        }
        report(sleep)
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
            timeout: .untilThereIsRoom)
    }

    private func report(_ sleep: ShortestSleep) {
        if let line = sleep.complaint(about: "making 10 ms of audio", within: 10_000_000) {
            sender.host.log(.warning, line)
        }
        let counts = counts.withLock { $0 }
        guard counts.skipped > 0 else { return }
        sender.host.log(
            .warning,
            "of \(counts.sent + counts.skipped) samples \(counts.skipped) were skipped because "
                + "making them was late")
    }
}
