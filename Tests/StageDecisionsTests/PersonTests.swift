import StageDecisions
import Testing

@Suite struct PersonTests {
    @Test func `a name has the same colour each time, and names use all colours`() {
        #expect(PersonColor(of: "Ana") == PersonColor(of: "Ana"))
        let used = Set((0..<100).map { PersonColor(of: "Guest \($0)").hex })
        #expect(used.count == PersonColor.all.count)
    }

    @Test func `white letters have a contrast of at least 4.5 on every colour`() {
        for color in PersonColor.all {
            let linear = [color.red, color.green, color.blue].map { (value: UInt8) -> Double in
                let part = Double(value) / 255
                return part <= 0.04045 ? part / 12.92 : Self.power((part + 0.055) / 1.055)
            }
            let luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
            #expect(1.05 / (luminance + 0.05) >= 4.5, "\(color.hex)")
        }
    }

    /// A value of 0 to 1 to the power of 2.4: its square, times its fifth root squared by Newton's method.
    private static func power(_ value: Double) -> Double {
        var root = max(value, 1e-6)
        for _ in 0..<60 {
            root -= (root * root * root * root * root - value) / (5 * root * root * root * root)
        }
        return value * value * root * root
    }
}
