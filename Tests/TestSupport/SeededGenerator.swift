/// Numbers that are equal in each run.
public struct Random: Sendable {
    /// The state of the generator.
    public var state: UInt64

    /// Begins with a seed.
    public init(state: UInt64) { self.state = state }

    /// 0 to 1, uniformly distributed.
    public mutating func unit() -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(state >> 11) / Double(1 << 53)
    }

    /// An integer of a range, uniformly distributed.
    public mutating func integer(_ range: Range<Int>) -> Int {
        range.lowerBound + Int(unit() * Double(range.count))
    }
}
