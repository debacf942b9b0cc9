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
    let white: Samples
    let black: Samples
    private let layout: PixelFormat.Layout

    init(format: PixelFormat, color: ColorSpace) {
        layout = format.layout
        white = Samples(.white, in: color, bits: layout.bits)
        black = Samples(.black, in: color, bits: layout.bits)
    }

    /// Paints an area, clipped to the frame. In formats with shared chroma, pixels next to odd
    /// edges may change colour, but not brightness.
    func paint(
        _ frame: inout MutableFrame, columns: Range<Int>, rows: Range<Int>, _ samples: Samples
    ) {
        let columns = columns.clamped(to: 0..<frame.width)
        let rows = rows.clamped(to: 0..<frame.height)
        guard !columns.isEmpty, !rows.isEmpty else { return }
        for plane in 0..<layout.planeCount {
            let shared = layout.planes[plane].rows
            let planeRows = rows.lowerBound / shared..<(rows.upperBound + shared - 1) / shared
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
        let group = layout.planes[plane]
        let groups =
            columns.lowerBound / group.columns..<(columns.upperBound + group.columns - 1)
            / group.columns
        let groupBytes = group.sampleCount * layout.sampleBytes
        if groupBytes == 1 {
            let value = samples[group.samples[0]].low
            for number in groups { row[number] = value }
            return
        }
        for index in 0..<group.sampleCount {
            let value = samples[group.samples[index]] << layout.shift
            let offset = index * layout.sampleBytes
            // Each pixel has its own luma, and shares the rest with its group.
            let luma = group.samples[index] == .y ? group.lumaColumn(index) : nil
            for number in groups {
                if let luma, !columns.contains(number * group.columns + luma) { continue }
                row[number * groupBytes + offset] = value.low
                if layout.sampleBytes == 2 { row[number * groupBytes + offset + 1] = value.high }
            }
        }
    }

    /// The number of bits that samples have.
    var bits: Int { layout.bits }
}

/// A colour in a frame's format.
struct Samples {
    let y: UInt16
    let u: UInt16
    let v: UInt16
    let red: UInt16
    let green: UInt16
    let blue: UInt16

    /// Converts a colour according to BT.601 and BT.709.
    init(_ color: RGB, in space: ColorSpace, bits: Int) {
        red = UInt16(UInt8(clamping: color.red))
        green = UInt16(UInt8(clamping: color.green))
        blue = UInt16(UInt8(clamping: color.blue))
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

extension Samples {
    /// The value of a sample; 255 for a component that the format ignores.
    subscript(sample: PixelFormat.Sample) -> UInt16 {
        switch sample {
        case .y: y
        case .u: u
        case .v: v
        case .red: red
        case .green: green
        case .blue: blue
        case .unused, .none: 255
        }
    }
}

extension UInt16 {
    fileprivate var low: UInt8 { UInt8(truncatingIfNeeded: self) }
    fileprivate var high: UInt8 { UInt8(truncatingIfNeeded: self >> 8) }
}
