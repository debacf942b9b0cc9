/// Samples between two clocks that are nearly equal: they begin to flow when some have gathered, and the
/// oldest are dropped when too many have.
package struct VoiceBuffer: Sendable {
    /// The samples that gather before the first is taken: 60 ms at 48 kHz.
    package static let least = 2880
    /// The most samples: 250 ms.
    package static let most = 12_000

    private var samples: [Int16] = []
    private var isFlowing = false

    package init() {}

    /// Appends samples.
    package mutating func append(_ new: some Sequence<Int16>) {
        samples.append(contentsOf: new)
        if samples.count > Self.most { samples.removeFirst(samples.count - Self.most) }
        if samples.count >= Self.least { isFlowing = true }
    }

    /// Takes samples for a block; none while they gather.
    ///
    /// - Parameter count: The most samples. Fewer are the last before a silence.
    package mutating func take(_ count: Int) -> ArraySlice<Int16> {
        guard isFlowing else { return [] }
        let taken = samples.prefix(count)
        samples.removeFirst(taken.count)
        isFlowing = !samples.isEmpty
        return taken
    }

    /// Takes all samples, for a reader with its own buffer.
    package mutating func takeAll() -> [Int16] {
        defer { samples.removeAll(keepingCapacity: true) }
        return samples
    }
}
