import Glibc

/// A small JPEG encoder for tests: baseline, nearly lossless (every quantiser is 1), with codes of
/// one length instead of efficient ones.
struct JPEGWriter {
    /// The subsampling of chroma.
    enum Sampling: CaseIterable {
        case yuv420, yuv422, yuv444, grey

        /// Luma samples for each chroma sample, across and down.
        var factors: (across: Int, down: Int) {
            switch self {
            case .yuv420: (2, 2)
            case .yuv422: (2, 1)
            case .yuv444, .grey: (1, 1)
            }
        }
    }

    /// Encodes planes whose sizes match the sampling; for grey images only the first.
    static func image(_ planes: [ReferenceFrame.Plane], _ sampling: Sampling) -> [UInt8] {
        var writer = JPEGWriter()
        let count = sampling == .grey ? 1 : 3
        writer.bytes += [0xff, 0xd8]
        writer.segment(0xdb, [0] + [UInt8](repeating: 1, count: 64))
        writer.segment(
            0xc0,
            [8] + word(planes[0].height) + word(planes[0].width) + [UInt8(count)]
                + (0..<count).flatMap { index -> [UInt8] in
                    let (across, down) = index == 0 ? sampling.factors : (1, 1)
                    return [UInt8(index + 1), UInt8(across << 4 | down), 0]
                })
        writer.segment(0xc4, [0x00] + lengths(12, at: 4) + (0..<12))
        writer.segment(0xc4, [0x10] + lengths(176, at: 8) + alternatingSymbols)
        writer.segment(
            0xda,
            [UInt8(count)] + (0..<count).flatMap { [UInt8($0 + 1), 0x00] } + [0, 63, 0])
        writer.scan(planes, sampling, count)
        writer.bytes += [0xff, 0xd9]
        return writer.bytes
    }

    private var bytes: [UInt8] = []
    private var bits: UInt32 = 0
    private var bitCount = 0

    /// A run of zeros in the upper half of a byte, a category up to 10 in the lower half.
    private static let alternatingSymbols: [UInt8] =
        (0..<16).flatMap { run in (0..<11).map { UInt8(run << 4 | $0) } }

    private static func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }

    /// The table of code lengths with one length for all codes.
    private static func lengths(_ count: Int, at length: Int) -> [UInt8] {
        (1...16).map { $0 == length ? UInt8(count) : 0 }
    }

    private mutating func segment(_ marker: UInt8, _ content: [UInt8]) {
        bytes += [0xff, marker] + Self.word(content.count + 2) + content
    }

    private mutating func scan(
        _ planes: [ReferenceFrame.Plane], _ sampling: Sampling, _ count: Int
    ) {
        let (across, down) = sampling.factors
        let columns = (planes[0].width + 8 * across - 1) / (8 * across)
        let rows = (planes[0].height + 8 * down - 1) / (8 * down)
        var predictions = [0, 0, 0]
        for row in 0..<rows {
            for column in 0..<columns {
                for index in 0..<count {
                    let (wide, high) = index == 0 ? (across, down) : (1, 1)
                    for v in 0..<high {
                        for h in 0..<wide {
                            let coefficients = Self.transform(
                                planes[index], 8 * (column * wide + h), 8 * (row * high + v))
                            write(coefficients, &predictions[index])
                        }
                    }
                }
            }
        }
        while bitCount > 0 { put(1, 1) }
    }

    private static let cosines: [[Double]] = (0..<8).map { (frequency: Int) -> [Double] in
        let scale = frequency == 0 ? 0.125.squareRoot() : 0.5
        return (0..<8).map { (place: Int) -> Double in
            scale * cos(Double((2 * place + 1) * frequency) * Double.pi / 16)
        }
    }

    private static let zigzag: [(x: Int, y: Int)] = (0..<15).flatMap { diagonal in
        let places = (0...diagonal).map { (x: $0, y: diagonal - $0) }
            .filter { $0.x < 8 && $0.y < 8 }
        return diagonal.isMultiple(of: 2) ? places : places.reversed()
    }

    /// The discrete cosine transform of a block, in zigzag order.
    private static func transform(
        _ plane: ReferenceFrame.Plane, _ left: Int, _ top: Int
    ) -> [Int] {
        var result: [Int] = []
        for (u, v) in zigzag {
            var sum = 0.0
            for y in 0..<8 {
                for x in 0..<8 {
                    sum += cosines[u][x] * cosines[v][y] * (plane[left + x, top + y] - 128)
                }
            }
            result.append(Int(sum.rounded()))
        }
        return result
    }

    private mutating func write(_ coefficients: [Int], _ prediction: inout Int) {
        let difference = coefficients[0] - prediction
        prediction = coefficients[0]
        put(UInt32(Self.category(difference)), 4)
        putValue(difference)
        var run = 0
        for value in coefficients.dropFirst() {
            guard value != 0 else {
                run += 1
                continue
            }
            while run > 15 {
                putSymbol(run: 15, category: 0)
                run -= 16
            }
            putSymbol(run: run, category: Self.category(value))
            putValue(value)
            run = 0
        }
        if run > 0 { putSymbol(run: 0, category: 0) }
    }

    private static func category(_ value: Int) -> Int {
        Int.bitWidth - value.magnitude.leadingZeroBitCount
    }

    private mutating func putSymbol(run: Int, category: Int) {
        put(UInt32(run * 11 + category), 8)
    }

    private mutating func putValue(_ value: Int) {
        let count = Self.category(value)
        put(UInt32(truncatingIfNeeded: value < 0 ? value - 1 : value), count)
    }

    private mutating func put(_ value: UInt32, _ count: Int) {
        for bit in (0..<count).reversed() {
            bits = bits << 1 | (value >> UInt32(bit)) & 1
            bitCount += 1
            guard bitCount == 8 else { continue }
            bytes.append(UInt8(bits & 255))
            if bits & 255 == 255 { bytes.append(0) }
            (bits, bitCount) = (0, 0)
        }
    }
}
