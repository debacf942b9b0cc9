@testable import GreenroomConversion
import GreenroomMedia
import Testing

/// Important plans, as a table: input, want, steps.
@Suite struct ConversionPlanTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var what: String
        var format: PixelFormat
        var size: String
        var rotation = Rotation.none
        var color = ColorSpace.bt601Limited
        var want: VideoWant
        var steps: [ConversionPlan.Step]
        var placement: PixelRect?

        var testDescription: String { what }
    }

    private static func size(_ width: Int, _ height: Int) -> FrameSize {
        FrameSize(width: width, height: height)
    }

    static let rows: [Row] = [
        Row(
            what: "already as wanted", format: .i420, size: "1280x720",
            want: VideoWant(format: .i420, size: size(1280, 720), range: .limited, matrix: .bt601),
            steps: []),
        Row(
            what: "BGRX is BGRA", format: .bgrx, size: "64x48", want: VideoWant(format: .bgra),
            steps: []),
        Row(
            what: "a JPEG that may stay", format: .mjpeg, size: "64x48",
            want: VideoWant(format: .mjpeg), steps: []),
        Row(
            what: "an accepted rotation", format: .i420, size: "64x48", rotation: .quarter,
            want: VideoWant(format: .i420, acceptsRotation: true), steps: []),
        Row(
            what: "RGB with another wanted matrix stays", format: .rgba,
            size: "64x48", want: VideoWant(format: .rgba, matrix: .bt709), steps: []),
        Row(
            what: "one pass for NV12", format: .nv12, size: "64x48",
            want: VideoWant(format: .i420), steps: [.convert(.i420, .bt601Limited)]),
        Row(
            what: "NV12 straight to RGB", format: .nv12, size: "64x48",
            want: VideoWant(format: .rgba), steps: [.convert(.rgba, .bt601Limited)]),
        Row(
            what: "RGB straight to NV12", format: .bgra, size: "64x48",
            want: VideoWant(format: .nv12), steps: [.convert(.nv12, .bt601Limited)]),
        Row(
            what: "RGB is converted before it shrinks", format: .bgra, size: "1920x1080",
            color: .bt601Full, want: VideoWant(format: .i420, size: size(1280, 720)),
            steps: [.convert(.i420, .bt601Limited), .scale(size(1280, 720))]),
        Row(
            what: "RGB is converted before it grows", format: .bgra, size: "1280x720",
            want: VideoWant(format: .i420, size: size(1920, 1080)),
            steps: [.convert(.i420, .bt601Limited), .scale(size(1920, 1080))]),
        Row(
            what: "RGB is converted before rotation", format: .rgba, size: "64x48",
            rotation: .half, want: VideoWant(format: .i420),
            steps: [.convert(.i420, .bt601Limited), .rotate(.half)]),
        Row(
            what: "24-bit RGB is widened for scaling", format: .rgb24,
            size: "640x360", want: VideoWant(format: .rgbx, size: size(320, 180)),
            steps: [.convert(.rgba, .bt601Full), .scale(size(320, 180))]),
        Row(
            what: "24-bit RGB is widened for BT.709", format: .rgb24, size: "64x48",
            color: .bt709Limited, want: VideoWant(format: .i420),
            steps: [.convert(.bgra, .bt709Limited), .convert(.i420, .bt709Limited)]),
        Row(
            what: "YUV becomes RGB last", format: .nv12, size: "1920x1080", color: .bt709Full,
            want: VideoWant(format: .bgra, size: size(960, 540)),
            steps: [
                .convert(.i420, .bt709Full), .scale(size(960, 540)),
                .convert(.bgra, .bt709Full),
            ]),
        Row(
            what: "one pass scales by any ratio", format: .i420, size: "1920x1080",
            want: VideoWant(format: .i420, size: size(352, 198)),
            steps: [.scale(size(352, 198))]),
        Row(
            what: "a side that shrinks to an eighth or less is halved first", format: .i420,
            size: "1001x701", want: VideoWant(format: .i420, size: size(60, 80), fit: .stretch),
            steps: [.scale(size(500, 350)), .scale(size(250, 350)), .scale(size(60, 80))]),
        Row(
            what: "a shrinking picture is scaled, rotated, recoloured", format: .i420,
            size: "1280x720", rotation: .quarter, color: .bt709Full,
            want: VideoWant(format: .i420, size: size(360, 640), range: .limited),
            steps: [
                .scale(size(640, 360)), .rotate(.quarter),
                .recolor(from: .bt709Full, to: .bt709Limited),
            ]),
        Row(
            what: "a growing picture is recoloured, rotated, scaled", format: .i420,
            size: "320x180", rotation: .threeQuarters, color: .bt709Limited,
            want: VideoWant(format: .nv12, size: size(360, 640), matrix: .bt601),
            steps: [
                .recolor(from: .bt709Limited, to: .bt601Limited), .rotate(.threeQuarters),
                .scale(size(360, 640)), .convert(.nv12, .bt601Limited),
            ]),
        Row(
            what: "10 bits become 8 in one pass", format: .p010, size: "64x48",
            want: VideoWant(format: .i420), steps: [.convert(.i420, .bt601Limited)]),
        Row(
            what: "10 bits become 8 first", format: .p010, size: "64x48",
            want: VideoWant(format: .bgra),
            steps: [.convert(.i420, .bt601Limited), .convert(.bgra, .bt601Limited)]),
        Row(
            what: "a JPEG is decoded before it is cropped", format: .mjpeg, size: "64x48",
            color: .bt601Full, want: VideoWant(format: .i420, size: size(64, 36), fit: .crop),
            steps: [
                .convert(.i420, .bt601Full), .crop(PixelRect(x: 0, y: 6, size: size(64, 36))),
                .copy,
            ]),
        Row(
            what: "4:3 in 16:9", format: .i420, size: "640x480",
            want: VideoWant(format: .i420, size: size(1280, 720)),
            steps: [.scale(size(960, 720))],
            placement: PixelRect(x: 160, y: 0, size: size(960, 720))),
        Row(
            what: "bars without scaling", format: .nv12, size: "640x480",
            want: VideoWant(format: .nv12, size: size(854, 480)), steps: [.copy],
            placement: PixelRect(x: 106, y: 0, size: size(640, 480))),
        Row(
            what: "portrait in landscape", format: .i420, size: "1280x720", rotation: .quarter,
            want: VideoWant(format: .i420, size: size(1280, 720)),
            steps: [.scale(size(720, 406)), .rotate(.quarter)],
            placement: PixelRect(x: 436, y: 0, size: size(406, 720))),
        Row(
            what: "a crop of a rotated frame", format: .i420, size: "1280x720", rotation: .quarter,
            want: VideoWant(format: .i420, size: size(720, 720), fit: .crop),
            steps: [.crop(PixelRect(x: 280, y: 0, size: size(720, 720))), .rotate(.quarter)]),
    ]

    @Test(arguments: rows)
    func `a conversion plan has the expected steps in the expected order`(row: Row) throws {
        let size = try #require(FrameSize(row.size))
        let plan = try ConversionPlan.plan(
            format: row.format, size: size, rotation: row.rotation, color: row.color,
            want: row.want)
        #expect(plan.steps == row.steps)
        #expect(plan.isIdentity == row.steps.isEmpty)
        #expect(plan.format == row.want.format)
        #expect(plan.size == row.want.size ?? plan.size)
        let whole = PixelRect(x: 0, y: 0, size: plan.size)
        #expect(plan.placement == row.placement ?? whole)
    }

    @Test(arguments: PixelFormat.allCases, PixelFormat.allCases)
    func `every pair of formats has a plan, or an error that names both`(
        input: PixelFormat, wanted: PixelFormat
    ) {
        let plan = Result { () throws(ConversionError) in
            try ConversionPlan.plan(
                format: input, size: FrameSize(width: 17, height: 9), rotation: .none,
                color: .bt601Limited, want: VideoWant(format: wanted))
        }
        if input == wanted || PixelFormat.makeable.contains(wanted) {
            #expect(throws: Never.self) { try plan.get() }
        } else {
            let error = #expect(throws: ConversionError.self) { try plan.get() }
            #expect(error?.code == .unsupported)
            #expect(error?.description.contains(input.name) == true)
            #expect(error?.description.contains(wanted.name) == true)
        }
    }

    @Test(arguments: PixelFormat.allCases.filter { !$0.isCompressed })
    func `each step of a plan is measured, with its reads and writes`(
        input: PixelFormat
    ) throws {
        for size in ["17x9", "64x64", "1x1"].compactMap({ FrameSize($0) }) {
            for fit in [Fit.letterbox, .crop] {
                let plan = try ConversionPlan.plan(
                    format: input, size: size, rotation: .quarter, color: .bt601Limited,
                    want: VideoWant(
                        format: .bgra, size: FrameSize(width: 32, height: 18), range: .full,
                        fit: fit))
                let costs = try plan.measure(from: input, size, repetitions: 1)
                #expect(costs.map(\.step) == plan.steps)
                // BGRX is BGRA: the fourth byte is ignored.
                #expect(costs.last?.format.hasSameLayout(as: .bgra) == true)
                #expect(costs.last?.size == plan.placement.size)
                var (format, size) = (input, size)
                for cost in costs {
                    if case .crop(let rect) = cost.step {
                        #expect(cost.bytesRead == 0 && cost.bytesWritten == 0)
                        size = rect.size
                        continue
                    }
                    #expect(cost.bytesRead == format.packedByteCount(of: size))
                    #expect(cost.bytesWritten == cost.format.packedByteCount(of: cost.size))
                    (format, size) = (cost.format, cost.size)
                }
            }
        }
    }

    @Test(arguments: Fit.allCases, Rotation.allCases)
    func `a picture of any size is placed at even positions`(
        fit: Fit, rotation: Rotation
    ) throws {
        guard fit != .reject else { return }
        let sides = [1, 2, 3, 7, 16, 101, 1080, 8192]
        for width in sides {
            for height in sides {
                for wanted in ["1x1", "2x3", "101x1", "854x480", "1x8192"].compactMap({
                    FrameSize($0)
                }) {
                    let size = FrameSize(width: width, height: height)
                    let plan = try ConversionPlan.plan(
                        format: .i420, size: size, rotation: rotation, color: .bt601Limited,
                        want: VideoWant(format: .i420, size: wanted, fit: fit))
                    try Self.checkPlacement(plan, of: size, turnedBy: rotation)
                }
            }
        }
    }

    /// Follows the steps and checks that rectangles fit and sizes match.
    private static func checkPlacement(
        _ plan: ConversionPlan, of size: FrameSize, turnedBy rotation: Rotation
    ) throws {
        func isInside(_ rect: PixelRect, _ whole: FrameSize) -> Bool {
            rect.x >= 0 && rect.y >= 0 && rect.x % 2 == 0 && rect.y % 2 == 0 && rect.size.isLegal
                && rect.x + rect.size.width <= whole.width
                && rect.y + rect.size.height <= whole.height
        }
        var current = size
        for step in plan.steps {
            switch step {
            case .crop(let rect):
                #expect(isInside(rect, current))
                current = rect.size
            case .scale(let other):
                #expect(other.isLegal)
                current = other
            case .rotate(let rotation):
                current = current.rotated(by: rotation)
            case .convert, .copy, .recolor:
                break
            }
        }
        #expect(current == plan.placement.size)
        #expect(isInside(plan.placement, plan.size))
    }

    @Test(arguments: ["0x0", "8193x1", "-1x5"])
    func `an illegal size has no plan`(text: String) {
        let sides = text.split(separator: "x").compactMap { Int($0) }
        let size = FrameSize(width: sides[0], height: sides[1])
        let legal = FrameSize(width: 16, height: 16)
        for (own, wanted) in [(size, legal), (legal, size)] {
            let error = #expect(throws: ConversionError.self) {
                try ConversionPlan.plan(
                    format: .i420, size: own, rotation: .none, color: .bt601Limited,
                    want: VideoWant(format: .i420, size: wanted))
            }
            #expect(error?.code == .badGeometry)
        }
    }
}
