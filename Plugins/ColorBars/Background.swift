import GreenroomPlugin

/// The picture behind ball and counter. Stores one row for each horizontal stripe, so that drawing
/// copies rows.
struct Background {
    /// The parameters of the rows.
    struct Key: Equatable {
        var pattern: ColorBars.Pattern
        var format: PixelFormat
        var size: FrameSize
        var color: ColorSpace
    }

    let key: Key
    /// The row of each plane, for each stripe.
    private let stripes: [[[UInt8]]]

    init(_ key: Key) {
        self.key = key
        stripes =
            switch key.pattern {
            case .bars: [Self.stripe(key, Self.bars)]
            case .grey: (0..<16).map { Self.stripe(key, [.grey(100 + 10 * $0)]) }
            }
    }

    /// Draws a whole frame of the key's format and size.
    func draw(into frame: inout MutableFrame) {
        for plane in 0..<key.format.planeCount {
            let rows = frame.geometry(ofPlane: plane).rows
            for y in 0..<rows {
                // A chroma row of 4:2:0 belongs to the luma row of twice its number.
                let pictureRow = plane == 0 ? y : 2 * y
                let stripe = stripes.count == 1 ? 0 : stripe(ofRow: pictureRow)
                let pixels = stripes[stripe][plane]
                frame.copy(pixels.span.bytes, toRow: y, ofPlane: plane)
            }
        }
    }

    /// Stripe k covers the rows from k·H/16 rounded down.
    private func stripe(ofRow row: Int) -> Int {
        ((row + 1) * stripes.count - 1) / key.size.height
    }

    /// Each component at 75 %.
    private static let bars = [
        (1, 1, 1), (1, 1, 0), (0, 1, 1), (0, 1, 0), (1, 0, 1), (1, 0, 0), (0, 0, 1), (0, 0, 0),
    ].map { RGB(red: 191 * $0.0, green: 191 * $0.1, blue: 191 * $0.2) }

    /// A row of each plane, divided equally between the colours.
    private static func stripe(_ key: Key, _ colors: [RGB]) -> [[UInt8]] {
        let brush = Brush(format: key.format, color: key.color)
        let width = key.size.width
        return (0..<key.format.planeCount).map { plane in
            let bytes = key.format.plane(plane, of: key.size).rowBytes
            var row = [UInt8](repeating: 0, count: bytes)
            var span = row.mutableSpan
            for (index, color) in colors.enumerated() {
                let columns = index * width / colors.count..<(index + 1) * width / colors.count
                guard !columns.isEmpty else { continue }
                brush.paint(
                    &span, plane: plane, columns: columns,
                    Samples(color, in: key.color, bits: brush.isDeep ? 10 : 8))
            }
            return row
        }
    }
}
