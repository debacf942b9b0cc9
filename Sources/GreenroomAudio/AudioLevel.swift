import Glibc
import GreenroomMedia

/// Measures the samples of a source: level, clipping and DC offset.
package struct AudioLevel: Sendable {
    /// The number of consecutive samples at full scale that count as clipped. A peak may touch full
    /// scale once or twice.
    private static let shortestRun = 3

    /// The number of measured samples, of all channels.
    package private(set) var samples = 0
    /// Samples at full scale, in runs of three or more.
    package private(set) var clipped = 0
    /// The largest magnitude.
    package private(set) var peak: Int32 = 0
    private var sum: Int64 = 0
    /// Consecutive samples at full scale at the end of the last block, per channel.
    private var runs = InlineArray<2, Int>(repeating: 0)

    package init() {}

    /// The largest magnitude in decibels of full scale; nil for silence.
    package var peakDBFS: Double? { peak == 0 ? nil : 20 * log10(Double(peak) / 32_768) }

    /// The mean of the samples as a fraction of full scale.
    package var dcOffset: Double { samples == 0 ? 0 : Double(sum) / Double(samples) / 32_768 }

    /// Adds the measurements of another part of the same audio.
    package mutating func add(_ other: AudioLevel) {
        samples += other.samples
        clipped += other.clipped
        peak = max(peak, other.peak)
        sum += other.sum
    }

    /// Measures a block of interleaved samples of one or two channels.
    package mutating func observe(_ block: Span<Int16>, channels: Int) {
        samples += block.count
        for channel in 0..<channels {
            var run = runs[channel]
            var index = channel
            while index < block.count {
                let sample = Int32(block[index])
                sum += Int64(sample)
                peak = max(peak, abs(sample))
                if abs(sample) >= Int32(Int16.max) {
                    run += 1
                    if run == Self.shortestRun { clipped += run }
                    if run > Self.shortestRun { clipped += 1 }
                } else {
                    run = 0
                }
                index += channels
            }
            runs[channel] = run
        }
    }
}
