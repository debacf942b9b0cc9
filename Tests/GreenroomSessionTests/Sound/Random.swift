/// Numbers that are the same in each run.
struct Random {
    var state: UInt64

    /// 0 to 1, even.
    mutating func unit() -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(state >> 11) / Double(1 << 53)
    }

    /// A whole number of a range, even.
    mutating func integer(_ range: Range<Int>) -> Int {
        range.lowerBound + Int(unit() * Double(range.count))
    }
}
