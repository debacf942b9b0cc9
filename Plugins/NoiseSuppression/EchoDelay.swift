import Glibc
import GreenroomPlugin

/// Measures the delay of an echo behind the audio that causes it.
///
/// Compares the loudness of both, in blocks of 10 ms: where they rise and fall alike is the delay. A voice
/// beside the echo makes them less alike, and then the last delay stays.
struct EchoDelay: Sendable {
    /// The longest delay, in blocks.
    static let longest = 52
    /// The number of compared blocks.
    private static let window = 200
    /// The number of blocks that the first comparison needs.
    private static let shortest = 80
    /// The number of blocks that lie between two comparisons.
    private static let interval = 20
    /// The lowest correlation that counts as an echo, from -1 to 1.
    private static let likeness = 0.6

    /// The loudness of the last blocks, the newest last.
    private var audio: [Double] = []
    private var echo: [Double] = []
    private var count = 0

    /// The delay, in blocks; nil while it is unknown.
    private(set) var blocks: Int?

    /// Adds the loudness of a block of both.
    mutating func append(audio: Double, echo: Double) {
        Self.append(audio, to: &self.audio)
        Self.append(echo, to: &self.echo)
        count += 1
        guard self.echo.count >= Self.shortest, count % Self.interval == 0 else { return }
        guard let best = found, abs(best - (blocks ?? -2)) > 1 else { return }
        blocks = best
    }

    private static func append(_ value: Double, to values: inout [Double]) {
        if values.count == window + longest { values.removeFirst() }
        values.append(value)
    }

    /// On a scale where silence does not outweigh all else.
    static func loudness(_ samples: Span<Int16>) -> Double {
        var sum = 0.0
        for index in samples.indices { sum += Double(samples[index]) * Double(samples[index]) }
        return log10(1 + sum / Double(max(samples.count, 1)))
    }

    private var found: Int? {
        var (best, likeness) = (Int?.none, Self.likeness)
        for delay in 0...Self.longest {
            let now = self.likeness(at: delay)
            if now > likeness { (best, likeness) = (delay, now) }
        }
        return best
    }

    /// The correlation of the echo with the audio `delay` blocks earlier.
    private func likeness(at delay: Int) -> Double {
        let first = max(delay, echo.count - Self.window)
        let number = Double(echo.count - first)
        var (x, y, xx, yy, xy) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for index in first..<echo.count {
            let (heard, played) = (echo[index], audio[index - delay])
            x += heard
            y += played
            xx += heard * heard
            yy += played * played
            xy += heard * played
        }
        let spread = (number * xx - x * x) * (number * yy - y * y)
        return spread > 1e-6 ? (number * xy - x * y) / spread.squareRoot() : 0
    }
}

/// The session's incoming audio, delayed so that it leads its echo by 30 ms.
struct AlignedReference: Sendable {
    /// The lead of the reference before its echo, in blocks: the delay is not exact.
    private static let margin = 3
    private static let blockCount = EchoDelay.longest + 1

    private var delay = EchoDelay()
    private var ring = [Int16](repeating: 0, count: blockCount * AudioEditing.blockFrames)
    private var next = 0
    /// The block that belongs to the current block of the microphone.
    private(set) var samples = [Int16](repeating: 0, count: AudioEditing.blockFrames)

    /// Adds a block.
    ///
    /// - Parameter heard: The loudness of what the microphone hears.
    mutating func append(_ reference: Span<Int16>, heard: Double) {
        delay.append(audio: EchoDelay.loudness(reference), echo: heard)
        let frames = AudioEditing.blockFrames
        for index in 0..<frames {
            ring[next * frames + index] = index < reference.count ? reference[index] : 0
        }
        let back = max((delay.blocks ?? 0) - Self.margin, 0)
        let block = (next + Self.blockCount - back) % Self.blockCount
        for index in 0..<frames { samples[index] = ring[block * frames + index] }
        next = (next + 1) % Self.blockCount
    }
}
