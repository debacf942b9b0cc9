/// SplitMix64: the same seed gives the same numbers, so a failing case is reproducible.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins with a seed.
    public init(seed: some BinaryInteger) { state = UInt64(truncatingIfNeeded: seed) }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// 0 to 1, uniformly distributed.
    public mutating func unit() -> Double { .random(in: 0..<1, using: &self) }

    /// An integer of a range, uniformly distributed.
    public mutating func integer(_ range: Range<Int>) -> Int { .random(in: range, using: &self) }

    /// A mutated file or message: bytes changed, removed or duplicated, or truncated.
    public mutating func mutation(of bytes: [UInt8]) -> [UInt8] {
        // Numbers of these are too large, negative, or zero.
        let tempting: [UInt8] = [0, 1, 0x7f, 0x80, 0xff]
        var bytes = bytes
        for _ in 0..<integer(1..<6) where !bytes.isEmpty {
            let place = integer(0..<bytes.count)
            let end = min(bytes.count, place + integer(1..<9))
            switch integer(0..<6) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &self)
            case 1:
                for index in place..<end { bytes[index] = tempting[integer(0..<tempting.count)] }
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            case 4: bytes.removeSubrange(place...)
            default: bytes[place] ^= 1 << UInt8(integer(0..<8))
            }
        }
        return bytes
    }
}
