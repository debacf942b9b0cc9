/// A delay of stereo samples, in memory that is allocated once.
struct SampleDelay: Sendable {
    private var ring: [Int16]
    private var next = 0

    /// - Parameter frames: The length of the delay, in frames; 0 for no delay.
    init(frames: Int) { ring = [Int16](repeating: 0, count: frames * 2) }

    /// Replaces samples by earlier samples, or by silence at first.
    mutating func pass(_ samples: inout [Int16]) {
        guard !ring.isEmpty else { return }
        for index in samples.indices {
            (samples[index], ring[next]) = (ring[next], samples[index])
            next = next + 1 == ring.count ? 0 : next + 1
        }
    }
}
