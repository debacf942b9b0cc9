internal import GreenroomMedia

/// The due times of samples and their blocks of 10 ms: by whole numbers, so that a rate
/// without a whole 10 ms block, such as 22050 Hz, loses none.
struct SampleSchedule: Equatable {
    static let blocksPerSecond: Int64 = 100

    private let startNanoseconds: Int64
    private let sampleRate: Int64

    /// - Parameter sampleRate: In hertz, 1 at least.
    init(startNanoseconds: Int64, sampleRate: Int) {
        self.startNanoseconds = startNanoseconds
        self.sampleRate = max(Int64(sampleRate), 1)
    }

    /// The first sample of a block.
    func firstSample(ofBlock block: Int64) -> Int64 {
        Int64(clamping: Int128(block) * Int128(sampleRate) / Int128(Self.blocksPerSecond))
    }

    /// The samples of a block, of each channel.
    func count(ofBlock block: Int64) -> Int {
        Int(firstSample(ofBlock: block + 1) - firstSample(ofBlock: block))
    }

    /// The longest that a block may be.
    var largestCount: Int { Int(sampleRate / Self.blocksPerSecond) + 1 }

    /// The time of a sample, in nanoseconds on the session clock.
    func due(sample: Int64) -> Int64 {
        let offset = Int128(sample) * 1_000_000_000 / Int128(sampleRate)
        return Int64(clamping: Int128(startNanoseconds) + offset)
    }

    /// The block to make next: the one after the last, late or not, unless it is so late that
    /// the sender's queue has run dry. Then it is the one that is due now, and those between
    /// are skipped.
    func block(next: Int64, nowNanoseconds now: Int64) -> Int64 {
        let late = Int128(now) - Int128(due(sample: firstSample(ofBlock: next)))
        guard late > Int128(AudioFormat.queueMilliseconds) * 1_000_000 else { return next }
        let elapsed = Int128(now) - Int128(startNanoseconds)
        return max(Int64(clamping: elapsed * Int128(Self.blocksPerSecond) / 1_000_000_000), next)
    }
}
