import GreenroomConversion
import GreenroomMedia
import Testing

/// Fit policies, tested by pixels.
@Suite struct FitTests {
    private static let wide = FrameSize(width: 160, height: 90)
    private static let pool = FramePool(limit: 8)

    /// An I420 frame: luma by place, chroma far from grey.
    private static func frame(
        _ size: FrameSize, _ info: FrameInfo = FrameInfo(), luma: (_ x: Int, _ y: Int) -> UInt8
    ) throws -> VideoFrame {
        var frame = try takeFrame(pool, .i420, size, info: info)
        let stride = frame.strideBytes(0)
        frame.fill(0) { luma($0 % stride, $0 / stride) }
        frame.fill(1) { _ in 90 }
        frame.fill(2) { _ in 200 }
        return frame
    }

    /// Black, in bytes of each plane in turn.
    private static func black(_ format: PixelFormat, _ range: ColorRange) -> [[UInt8]] {
        let y = range.blackLuma
        return switch format {
        case .i420: [[y], [128], [128]]
        case .nv12, .nv21: [[y], [128, 128]]
        case .yuy2: [[y, 128, y, 128]]
        case .uyvy: [[128, y, 128, y]]
        // Ten bits: 64 and 512 in limited range, at the low or the high end of 16.
        case .i010: [[y << 2, 0], [0, 2], [0, 2]]
        case .p010: [[0, y], [0, 128, 0, 128]]
        case .rgb24: [[0, 0, 0]]
        default: [[0, 0, 0, 255]]
        }
    }

    @Test(arguments: PixelFormat.makeable, ColorRange.allCases)
    func `a 4:3 picture in a 16:9 frame has black bars`(
        format: PixelFormat, range: ColorRange
    ) throws {
        let info = FrameInfo(color: ColorSpace(range: range, matrix: .bt601))
        let source = try Self.frame(FrameSize(width: 64, height: 48), info) { _, _ in 180 }
        let made = try FrameConverter().convert(
            source, to: VideoWant(format: format, size: Self.wide), into: Self.pool)
        #expect(made.size == Self.wide)
        // 90 * 4 / 3 = 120 columns from column 20 on.
        for index in 0..<made.planeCount {
            let black = Self.black(format, range)[index]
            let plane = format.plane(index, of: Self.wide)
            let bytes = made.visibleBytes(index)
            for y in 0..<plane.rows {
                for x in 0..<plane.rowBytes {
                    let isBar = x * 160 < 20 * plane.rowBytes || x * 160 >= 140 * plane.rowBytes
                    let isBlack = bytes[y * plane.rowBytes + x] == black[x % black.count]
                    guard isBar != isBlack else { continue }
                    // A byte of alpha or of green, which these chroma values make zero, may be
                    // black's without being black.
                    #expect(!isBar && format.isRGB, "\(format) plane \(index) at \(x), \(y)")
                }
            }
        }
    }

    @Test func `a portrait is centred in a landscape`() throws {
        // 64x48 turned is 48x64; 90 * 48 / 64 is 67.5, the nearest even number 68, from 46 on.
        let source = try Self.frame(
            FrameSize(width: 64, height: 48), FrameInfo(rotation: .quarter)
        ) { _, _ in 180 }
        let made = try FrameConverter().convert(
            source, to: VideoWant(format: .i420, size: Self.wide), into: Self.pool)
        let luma = made.visibleBytes(0)
        #expect(
            luma.indices.allSatisfy { luma[$0] == ((46..<114).contains($0 % 160) ? 180 : 16) })
        let u = made.visibleBytes(1)
        #expect(u.indices.allSatisfy { u[$0] == ((23..<57).contains($0 % 80) ? 90 : 128) })
        #expect(made.info.rotation == .none)
    }

    @Test(arguments: Rotation.allCases)
    func `the top of the picture is up for every rotation`(rotation: Rotation) throws {
        // The row or column that a clockwise rotation moves to the top.
        let source = try Self.frame(
            FrameSize(width: 64, height: 64), FrameInfo(rotation: rotation)
        ) { x, y in
            let isTop =
                switch rotation {
                case .none: y < 32
                case .quarter: x < 32
                case .half: y >= 32
                case .threeQuarters: x >= 32
                }
            return isTop ? 220 : 40
        }
        let made = try FrameConverter().convert(
            source, to: VideoWant(format: .i420, size: Self.wide), into: Self.pool)
        let luma = made.visibleBytes(0)
        for x in [40, 80, 110] {
            #expect(luma[10 * 160 + x] == 220)
            #expect(luma[80 * 160 + x] == 40)
        }
    }

    @Test(arguments: Rotation.allCases)
    func `a crop shows only the middle`(rotation: Rotation) throws {
        // The middle 64x36 of 64x48 are 16:9; rotated, 26 of 64 columns.
        let source = try Self.frame(
            FrameSize(width: 64, height: 48), FrameInfo(rotation: rotation)
        ) { x, y in
            rotation.swapsSides
                ? ((18..<44).contains(x) ? 180 : 40) : ((6..<42).contains(y) ? 180 : 40)
        }
        let size = rotation.swapsSides ? FrameSize(width: 96, height: 52) : Self.wide
        let made = try FrameConverter().convert(
            source, to: VideoWant(format: .i420, size: size, fit: .crop), into: Self.pool)
        #expect(made.size == size)
        #expect(made.visibleBytes(0).allSatisfy { $0 == 180 })
        #expect(made.visibleBytes(1).allSatisfy { $0 == 90 })
    }

    @Test func `a stretched picture fills the frame`() throws {
        let source = try Self.frame(FrameSize(width: 64, height: 48)) { x, _ in x < 32 ? 180 : 40 }
        let made = try FrameConverter().convert(
            source, to: VideoWant(format: .i420, size: Self.wide, fit: .stretch), into: Self.pool)
        let luma = made.visibleBytes(0)
        for index in luma.indices where !(76..<84).contains(index % 160) {
            #expect(luma[index] == (index % 160 < 80 ? 180 : 40))
        }
    }

    @Test func `an error about a rejected size names both sizes and the fixes`() throws {
        let source = try Self.frame(
            FrameSize(width: 64, height: 48), FrameInfo(rotation: .quarter)
        ) { _, _ in 0 }
        let error = #expect(throws: ConversionError.self) {
            _ = try FrameConverter().convert(
                source, to: VideoWant(format: .i420, size: Self.wide, fit: .reject),
                into: Self.pool)
        }
        #expect(error?.code == .rejected)
        #expect(error?.description.contains("48x64") == true)
        #expect(error?.description.contains("160x90") == true)
        for cure in ["send that size", "letterbox", "crop", "stretch"] {
            #expect(error?.description.contains(cure) == true, "\(cure)")
        }
    }

    @Test(arguments: Fit.allCases)
    func `a consumer that accepts rotation gets unrotated pixels`(fit: Fit) throws {
        let source = try Self.frame(
            FrameSize(width: 64, height: 48), FrameInfo(rotation: .threeQuarters)
        ) { x, _ in x < 32 ? 180 : 40 }
        let size = FrameSize(width: 128, height: 96)
        var want = VideoWant(format: .i420, size: size, fit: fit, acceptsRotation: true)
        if fit == .reject { want.size = source.size }
        let made = try FrameConverter().convert(source, to: want, into: Self.pool)
        #expect(made.info.rotation == .threeQuarters)
        #expect(made.size == want.size)
        // The left of the pixels is still on the left.
        let luma = made.visibleBytes(0)
        for index in luma.indices {
            let x = index % made.size.width * 64 / made.size.width
            guard !(30..<34).contains(x) else { continue }
            #expect(luma[index] == (x < 32 ? 180 : 40))
        }
    }

    @Test(arguments: [
        (Fit.letterbox, Rotation.none, 20..<140), (.letterbox, .half, 20..<140),
        (.letterbox, .quarter, 46..<114), (.letterbox, .threeQuarters, 46..<114),
        (.crop, .none, 0..<160), (.crop, .quarter, 0..<160), (.stretch, .none, 0..<160),
        (.stretch, .quarter, 0..<160),
    ])
    func `each fit places the picture, and the rest of the frame is black`(
        fit: Fit, rotation: Rotation, columns: Range<Int>
    ) throws {
        for range in ColorRange.allCases {
            let source = try Self.frame(
                FrameSize(width: 64, height: 48),
                FrameInfo(rotation: rotation, color: ColorSpace(range: range, matrix: .bt709))
            ) { _, _ in 180 }
            let made = try FrameConverter().convert(
                source, to: VideoWant(format: .i420, size: Self.wide, fit: fit), into: Self.pool)
            #expect(made.info.color == source.info.color)
            let (y, u, v) = (made.visibleBytes(0), made.visibleBytes(1), made.visibleBytes(2))
            #expect(
                y.indices.allSatisfy {
                    y[$0] == (columns.contains($0 % 160) ? 180 : range.blackLuma)
                })
            let chroma = columns.lowerBound / 2..<columns.upperBound / 2
            #expect(u.indices.allSatisfy { u[$0] == (chroma.contains($0 % 80) ? 90 : 128) })
            #expect(v.indices.allSatisfy { v[$0] == (chroma.contains($0 % 80) ? 200 : 128) })
        }
    }

    @Test(arguments: PixelFormat.uncompressed, ColorRange.allCases)
    func `a black frame is black in its own range`(format: PixelFormat, range: ColorRange) throws {
        for size in [Self.wide, FrameSize(width: 33, height: 17), FrameSize(width: 1, height: 1)] {
            guard let frame = Self.pool.takeBlack(format, size, range) else {
                throw TestFailure(text: "there is no black \(format) \(size)")
            }
            #expect(frame.format == format && frame.size == size)
            #expect(frame.info.color.range == (format.isRGB ? .full : range))
            for index in 0..<frame.planeCount {
                let black = Self.black(format, range)[index]
                let rowBytes = format.plane(index, of: size).rowBytes
                let bytes = frame.visibleBytes(index)
                #expect(
                    bytes.indices.allSatisfy { bytes[$0] == black[$0 % rowBytes % black.count] })
            }
        }
    }

    @Test func `a compressed format and an illegal size have no black frame`() {
        let none = FrameSize(width: 0, height: 1)
        for (format, size) in [(PixelFormat.mjpeg, Self.wide), (.i420, none)] {
            if Self.pool.takeBlack(format, size, .full) != nil {
                Issue.record("there is black of \(format) \(size)")
            }
        }
    }

    @Test func `fit: reject accepts a picture of the exact size`() throws {
        let source = try Self.frame(
            FrameSize(width: 90, height: 160), FrameInfo(rotation: .quarter)
        ) { _, _ in 77 }
        let made = try FrameConverter().convert(
            source, to: VideoWant(format: .i420, size: Self.wide, fit: .reject), into: Self.pool)
        #expect(made.visibleBytes(0).allSatisfy { $0 == 77 })
    }
}
