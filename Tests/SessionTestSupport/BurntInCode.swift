/// The code that ColorBars draws into the top left of its frames.
///
/// They are 4 rows of 16, half as wide as the picture and a quarter as high, white for 1 and
/// black for 0. Row by row they hold 1010, 24 bits of index, 24 bits of milliseconds, 8 bits of
/// checksum, 0101.
package struct BurntInCode: Equatable {
    /// The frame's index, modulo 2²⁴.
    package var index: Int
    /// Its time on the session clock, modulo 2²⁴.
    package var milliseconds: Int

    /// Reads the code; nil if the frame of 1010 and 0101 or the checksum is wrong.
    ///
    /// - Parameter middle: The luma between black and white.
    package init?(_ picture: YUVImage, middle: UInt8 = 126) {
        let (columns, rows) = (16, 4)
        var bits: [Int] = []
        for row in 0..<rows {
            for column in 0..<columns {
                let x = (2 * column + 1) * picture.width / (4 * columns)
                let y = (2 * row + 1) * picture.height / (8 * rows)
                bits.append(picture.y[y * picture.width + x] > middle ? 1 : 0)
            }
        }
        func number(_ range: Range<Int>) -> Int { bits[range].reduce(0) { 2 * $0 + $1 } }
        index = number(4..<28)
        milliseconds = number(28..<52)
        let sum = stride(from: 4, to: 52, by: 8).reduce(0) { $0 + number($1..<$1 + 8) }
        guard number(0..<4) == 0b1010, number(60..<64) == 0b0101,
            number(52..<60) == 255 - sum % 256
        else { return nil }
    }
}
