import PluginEffects
import GreenroomMedia
import Testing

struct ToneCurvesTests {
    private let ramp = (0...255).map { UInt8($0) }

    private func luma(_ adjustment: ToneCurves.Adjustment, _ range: ColorRange) -> [UInt8] {
        var row = ramp
        var span = row.mutableSpan
        ToneCurves(adjustment, range: range).applyLuma(to: &span)
        return row
    }

    private func chroma(_ adjustment: ToneCurves.Adjustment, _ range: ColorRange) -> [UInt8] {
        var row = ramp
        var span = row.mutableSpan
        ToneCurves(adjustment, range: range).applyChroma(to: &span)
        return row
    }

    @Test(arguments: ColorRange.allCases)
    func `no adjustment keeps every sample`(_ range: ColorRange) {
        let curves = ToneCurves(.init(), range: range)
        #expect(curves.keepsLuma && curves.keepsChroma)
        let saturated = ToneCurves(.init(saturation: 1.5), range: range)
        #expect(saturated.keepsLuma && !saturated.keepsChroma)
        let brighter = ToneCurves(.init(brightness: 0.1), range: range)
        #expect(!brighter.keepsLuma && brighter.keepsChroma)
    }

    /// Old luma, brightness, contrast, new luma: calculated by hand.
    static let points: [(ColorRange, UInt8, Double, Double, UInt8)] = [
        (.limited, 16, 0.5, 1, 126),  // 16 + 0.5 * 219 = 125.5
        (.limited, 16, 1, 1, 235), (.limited, 235, -1, 1, 16),
        (.limited, 16, 0, 0, 126), (.limited, 235, 0, 0, 126),  // mid grey, 125.5
        (.limited, 235, 0, 0.5, 180),  // 125.5 + 54.75
        (.limited, 180, 0, 2, 235),  // 234.5
        (.limited, 255, 0, 1.01, 235),
        (.full, 0, 0.5, 1, 128), (.full, 255, 0, 0.5, 191), (.full, 100, 0.1, 1, 126),
    ]

    @Test(arguments: points)
    func `brightness and contrast move luma within its range`(
        _ row: (range: ColorRange, old: UInt8, brightness: Double, contrast: Double, new: UInt8)
    ) {
        let table = luma(.init(brightness: row.brightness, contrast: row.contrast), row.range)
        #expect(table[Int(row.old)] == row.new)
    }

    @Test func `saturation moves chroma from grey within its range`() {
        #expect(chroma(.init(saturation: 0), .limited).allSatisfy { $0 == 128 })
        let doubled = chroma(.init(saturation: 2), .limited)
        #expect((doubled[128], doubled[138], doubled[118]) == (128, 148, 108))
        #expect((doubled[16], doubled[240]) == (16, 240))
        let full = chroma(.init(saturation: 2), .full)
        #expect((full[0], full[255]) == (0, 255))
        // Contrast scales red, green and blue equally, and so their differences.
        #expect(chroma(.init(contrast: 0.5), .full)[228] == 178)
    }

    @Test(arguments: [[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4]] as [[UInt8]])
    func `mirroring reverses a row, and mirroring twice restores the row`(_ row: [UInt8]) {
        var mirrored = row
        var span = mirrored.mutableSpan
        mirror(&span)
        #expect(mirrored == row.reversed())
        var again = mirrored.mutableSpan
        mirror(&again)
        #expect(mirrored == row)
    }
}
