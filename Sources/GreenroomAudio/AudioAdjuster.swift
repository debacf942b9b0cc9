import Glibc
import GreenroomMedia

/// The level and the delay of audio, relative to what its source sends.
package struct AudioAdjustment: Equatable, Sendable {
    /// The longest delay, in frames of 48 kHz: 2 s.
    package static let longestDelay = 2 * AudioFormat.session.sampleRate

    /// The gain, in decibels.
    package var decibels = 0.0
    /// The delay, in frames of 48 kHz.
    package var delayFrames = 0

    package init() {}

    fileprivate var factor: Float { decibels == 0 ? 1 : Float(pow(10, decibels / 20)) }
}

/// Applies an adjustment to stereo audio. A change takes one block of 10 ms, without a click.
struct AudioAdjuster {
    private var applied = AudioAdjustment()
    /// The newest samples; empty before the first delay.
    private var ring: [Int16] = []
    private var next = 0

    /// Adjusts a block of some frames in place.
    mutating func pass(
        _ frames: Int, of samples: inout MutableSpan<Int16>, to target: AudioAdjustment
    ) {
        guard target != applied || applied != AudioAdjustment() else { return }
        let capacity = AudioAdjustment.longestDelay + 1
        if ring.isEmpty, target.delayFrames > 0 {
            ring = [Int16](repeating: 0, count: 2 * capacity)
        }
        let (from, to) = (applied.factor, target.factor)
        for frame in 0..<frames {
            let part = Float(frame + 1) / Float(frames)
            for side in 0...1 {
                let index = 2 * frame + side
                var value = Float(samples[index])
                if !ring.isEmpty {
                    ring[2 * next + side] = samples[index]
                    value = Float(ring[2 * behind(applied.delayFrames) + side])
                    if target.delayFrames != applied.delayFrames {
                        let new = Float(ring[2 * behind(target.delayFrames) + side])
                        value += (new - value) * part
                    }
                }
                samples[index] = Int16(
                    clamping: Int32((value * (from + (to - from) * part)).rounded()))
            }
            if !ring.isEmpty { next = next + 1 == capacity ? 0 : next + 1 }
        }
        applied = target
        if applied.delayFrames == 0 { ring = [] }
    }

    /// The place of the frame that came some frames before the newest one.
    private func behind(_ frames: Int) -> Int {
        next >= frames ? next - frames : next - frames + ring.count / 2
    }
}

/// The adjusters of sources and sinks, on the mixer's thread.
struct AudioAdjusters: ~Copyable {
    private var adjusters: [ObjectIdentifier: AudioAdjuster] = [:]
    private var scratch: [Int16]

    init(sampleCount: Int) { scratch = [Int16](repeating: 0, count: sampleCount) }

    /// Adjusts a source's block in place.
    mutating func pass(
        _ frames: Int, of samples: inout MutableSpan<Int16>, from source: AnyObject,
        as adjustments: [ObjectIdentifier: AudioAdjustment]
    ) {
        let id = ObjectIdentifier(source)
        guard let target = adjustments[id] else { return }
        adjusters[id, default: AudioAdjuster()].pass(frames, of: &samples, to: target)
    }

    /// Writes a block to a sink.
    mutating func write(
        _ block: Span<Int16>, to sink: any AudioSink,
        as adjustments: [ObjectIdentifier: AudioAdjustment]
    ) {
        let id = ObjectIdentifier(sink)
        guard !adjustments.isEmpty, let target = adjustments[id] else { return sink.write(block) }
        var buffer: [Int16] = []
        swap(&buffer, &scratch)
        defer { swap(&buffer, &scratch) }
        var samples = buffer.mutableSpan
        for index in block.indices { samples[index] = block[index] }
        adjusters[id, default: AudioAdjuster()].pass(block.count / 2, of: &samples, to: target)
        sink.write(buffer.span.extracting(..<block.count))
    }

    /// Forgets sources and sinks that no longer exist.
    mutating func keep(_ adjustments: [ObjectIdentifier: AudioAdjustment]) {
        guard adjusters.count > adjustments.count else { return }
        adjusters = adjusters.filter { adjustments[$0.key] != nil }
    }
}
