import GreenroomPlugin

/// A colour: red, green and blue, 0 to 255.
struct RGB: Equatable {
    var red: Int
    var green: Int
    var blue: Int

    static let white = RGB(red: 255, green: 255, blue: 255)
    static let black = RGB(red: 0, green: 0, blue: 0)

    static func grey(_ level: Int) -> RGB { RGB(red: level, green: level, blue: level) }
}

/// Paints areas of one colour into frames of any format except MJPEG.
struct Brush {
    let format: PixelFormat
    let color: ColorSpace

    /// Paints an area, clipped to the frame. In formats with shared chroma, pixels next to odd
    /// edges may change colour, but not brightness.
    func paint(
        _ frame: inout MutableFrame, columns: Range<Int>, rows: Range<Int>, _ color: RGB
    ) {
        let columns = columns.clamped(to: 0..<frame.width)
        let rows = rows.clamped(to: 0..<frame.height)
        guard !columns.isEmpty, !rows.isEmpty else { return }
        let samples = Samples(color, in: self.color, bits: isDeep ? 10 : 8)
        for plane in 0..<format.planeCount {
            let isHalved = plane > 0
            let planeRows = isHalved ? rows.lowerBound / 2..<(rows.upperBound + 1) / 2 : rows
            for y in planeRows {
                var row = frame.row(y, ofPlane: plane)
                paint(&row, plane: plane, columns: columns, samples)
            }
        }
    }

    /// Paints a part of one row of a plane.
    ///
    /// - Parameter columns: In pixels of the frame, not samples of the plane; within the frame.
    func paint(
        _ row: inout MutableSpan<UInt8>, plane: Int, columns: Range<Int>, _ samples: Samples
    ) {
        let halved = columns.lowerBound / 2..<(columns.upperBound + 1) / 2
        switch (format, plane) {
        case (.i420, 0), (.nv12, 0), (.nv21, 0):
            for x in columns { row[x] = samples.y.low }
        case (.i420, 1): for x in halved { row[x] = samples.u.low }
        case (.i420, _): for x in halved { row[x] = samples.v.low }
        case (.nv12, _):
            for x in halved { write(&row, 2 * x, samples.u.low, samples.v.low) }
        case (.nv21, _):
            for x in halved { write(&row, 2 * x, samples.v.low, samples.u.low) }
        case (.yuy2, _), (.uyvy, _):
            let (luma, chroma) = format == .yuy2 ? (0, 1) : (1, 0)
            for x in columns { row[2 * x + luma] = samples.y.low }
            for x in halved {
                row[4 * x + chroma] = samples.u.low
                row[4 * x + 2 + chroma] = samples.v.low
            }
        case (.bgra, _), (.bgrx, _):
            for x in columns {
                write(&row, 4 * x, samples.blue, samples.green)
                write(&row, 4 * x + 2, samples.red, 255)
            }
        case (.rgba, _), (.rgbx, _):
            for x in columns {
                write(&row, 4 * x, samples.red, samples.green)
                write(&row, 4 * x + 2, samples.blue, 255)
            }
        case (.rgb24, _):
            for x in columns {
                write(&row, 3 * x, samples.red, samples.green)
                row[3 * x + 2] = samples.blue
            }
        case (.i010, 0): for x in columns { write(&row, 2 * x, samples.y.low, samples.y.high) }
        case (.i010, 1): for x in halved { write(&row, 2 * x, samples.u.low, samples.u.high) }
        case (.i010, _): for x in halved { write(&row, 2 * x, samples.v.low, samples.v.high) }
        case (.p010, 0):
            for x in columns { write(&row, 2 * x, samples.y.up.low, samples.y.up.high) }
        case (.p010, _):
            for x in halved {
                write(&row, 4 * x, samples.u.up.low, samples.u.up.high)
                write(&row, 4 * x + 2, samples.v.up.low, samples.v.up.high)
            }
        case (.mjpeg, _): break
        }
    }

    /// Whether samples have 10 bits.
    var isDeep: Bool { format == .i010 || format == .p010 }

    private func write(
        _ row: inout MutableSpan<UInt8>, _ index: Int, _ first: UInt8, _ second: UInt8
    ) {
        row[index] = first
        row[index + 1] = second
    }
}

/// A colour in a frame's format.
struct Samples {
    let y: UInt16
    let u: UInt16
    let v: UInt16
    let red: UInt8
    let green: UInt8
    let blue: UInt8

    /// Converts a colour according to BT.601 and BT.709.
    init(_ color: RGB, in space: ColorSpace, bits: Int) {
        red = UInt8(clamping: color.red)
        green = UInt8(clamping: color.green)
        blue = UInt8(clamping: color.blue)
        let (kr, kb) = space.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let (r, g, b) = (
            Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255
        )
        let luma = kr * r + (1 - kr - kb) * g + kb * b
        let scale = Double(1 << (bits - 8))
        let top = Double(1 << bits) - 1
        func sample(_ value: Double, limited: (black: Double, span: Double), full: Double) -> UInt16
        {
            let value =
                space.range == .limited
                ? (limited.black + limited.span * value) * scale : full + top * value
            return UInt16(min(max(value.rounded(), 0), top))
        }
        let middle = 128 * scale
        y = sample(luma, limited: (16, 219), full: 0)
        u = sample((b - luma) / (2 * (1 - kb)), limited: (128, 224), full: middle)
        v = sample((r - luma) / (2 * (1 - kr)), limited: (128, 224), full: middle)
    }
}

extension UInt16 {
    fileprivate var low: UInt8 { UInt8(truncatingIfNeeded: self) }
    fileprivate var high: UInt8 { UInt8(truncatingIfNeeded: self >> 8) }
    /// Ten bits in the high bits of 16, as in P010.
    fileprivate var up: UInt16 { self << 6 }
}
