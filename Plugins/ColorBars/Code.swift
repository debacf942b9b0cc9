import GreenroomPlugin

/// The machine-readable cells; see ``ColorBars`` for their meaning.
struct Code {
    /// The cells, row by row, the first in the most significant bit.
    private let cells: UInt64

    private static let columns = 16
    private static let rows = 4

    init(index: Int64, ptsNanoseconds: Int64) {
        let index = UInt64(truncatingIfNeeded: index) & 0xFF_FFFF
        let milliseconds = UInt64(truncatingIfNeeded: ptsNanoseconds / 1_000_000) & 0xFF_FFFF
        let payload = index << 24 | milliseconds
        let sum = (0..<6).reduce(0 as UInt64) { $0 + (payload >> (8 * $1) & 0xFF) }
        cells = 0b1010 << 60 | payload << 12 | (255 - sum % 256) << 4 | 0b0101
    }

    /// Whether a picture is large enough for readable cells.
    static func fits(_ size: FrameSize) -> Bool { size.width >= 128 && size.height >= 64 }

    func draw(into frame: inout MutableFrame, with brush: Brush) {
        let (width, height) = (frame.width, frame.height)
        for row in 0..<Self.rows {
            for column in 0..<Self.columns {
                let bit = cells >> (63 - (row * Self.columns + column)) & 1
                brush.paint(
                    &frame, columns: column * width / 32..<(column + 1) * width / 32,
                    rows: row * height / 16..<(row + 1) * height / 16,
                    bit == 1 ? brush.white : brush.black)
            }
        }
    }
}
