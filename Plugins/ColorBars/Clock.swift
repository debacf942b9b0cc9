import GreenroomPlugin

/// The frame's index and the time since the start, as readable digits.
struct Clock {
    private let index: Int64
    private let milliseconds: Int64

    init(index: Int64, seconds: Double) {
        self.index = max(index, 0)
        milliseconds = Int64(max(seconds, 0) * 1000)
    }

    func draw(into frame: inout MutableFrame, with brush: Brush) {
        // 21 characters of 6 columns and one column before them, on half the width if possible.
        let scale = max(frame.width / 254, 1)
        var x = scale
        let top = frame.height / 2
        brush.paint(
            &frame, columns: 0..<127 * scale, rows: top..<top + 9 * scale, brush.black)
        func put(_ glyph: Int, _ frame: inout MutableFrame) {
            Self.draw(glyph, into: &frame, x: x, y: top + scale, scale: scale, with: brush)
            x += 6 * scale
        }
        for digit in Digits(index, count: 8) { put(digit, &frame) }
        x += 6 * scale
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        for digit in Digits(seconds / 3600, count: 2) { put(digit, &frame) }
        put(Self.colon, &frame)
        for digit in Digits(seconds / 60 % 60, count: 2) { put(digit, &frame) }
        put(Self.colon, &frame)
        for digit in Digits(seconds % 60, count: 2) { put(digit, &frame) }
        put(Self.point, &frame)
        for digit in Digits(rest, count: 3) { put(digit, &frame) }
    }

    private static let colon = 10
    private static let point = 11

    /// Seven rows of five columns, the leftmost in bit 4.
    private static let glyphs: [[UInt8]] = [
        [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
        [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        [0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110],
        [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
        [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
        [0b00000, 0b00100, 0b00100, 0b00000, 0b00100, 0b00100, 0b00000],
        [0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b00100, 0b00100],
    ]

    private static func draw(
        _ glyph: Int, into frame: inout MutableFrame, x: Int, y: Int, scale: Int,
        with brush: Brush
    ) {
        for (row, bits) in glyphs[glyph].enumerated() {
            for column in 0..<5 where bits >> (4 - column) & 1 == 1 {
                let (left, top) = (x + column * scale, y + row * scale)
                brush.paint(
                    &frame, columns: left..<left + scale, rows: top..<top + scale, brush.white)
            }
        }
    }
}

/// The last decimal digits of a number, highest first.
private struct Digits: Sequence, IteratorProtocol {
    private let value: Int64
    private var divisor: Int64

    init(_ value: Int64, count: Int) {
        self.value = value
        divisor = (0..<count).reduce(1) { power, _ in power * 10 }
    }

    mutating func next() -> Int? {
        guard divisor > 1 else { return nil }
        let rest = value % divisor
        divisor /= 10
        return Int(rest / divisor)
    }
}
