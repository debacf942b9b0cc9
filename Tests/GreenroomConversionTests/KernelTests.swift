import CGreenroomKernels
import Glibc
import GreenroomMedia
import Synchronization
import Testing

@testable import GreenroomConversion

/// Every kernel of every instruction set of this machine, compared byte for byte with plain C, on rows
/// that begin or end at a page without access.
@Suite struct KernelTests {
    /// The widths of two vectors of 64 bytes and all ends, and some longer ones.
    private static let widths = Array(1...200) + [255, 256, 257, 511, 640, 853, 1279]

    private static var sets: [greenroom_kernels] {
        (0...).lazy.map { greenroom_kernels_at($0) }.prefix { $0 != nil }.compactMap { $0?.pointee }
    }

    /// Runs a kernel of each set and the one of plain C on the same noise.
    ///
    /// - Parameters:
    ///   - inputs: The lengths of the rows that are read.
    ///   - outputs: The lengths of those that are written.
    private static func compare(
        _ inputs: [Int], _ outputs: [Int], _ what: String,
        _ run: (greenroom_kernels, [GuardedRow], [GuardedRow]) -> Void
    ) {
        let sets = sets
        for atEnd in [false, true] {
            let rows = inputs.enumerated().map {
                GuardedRow($1, atEnd: atEnd, seed: $0 + $1)
            }
            let results = sets.map { set in
                let outputs = outputs.map { GuardedRow($0, atEnd: atEnd, seed: 0) }
                run(set, rows, outputs)
                return outputs.map { Array($0.bytes) }
            }
            for (set, result) in zip(sets, results) {
                #expect(result == results.last, "\(what) by \(String(cString: set.name))")
            }
        }
    }

    @Test func `the last of the instruction sets is plain C`() {
        #expect(Self.sets.last.map { String(cString: $0.name) } == "C")
        #if arch(x86_64)
            #expect(Self.sets.count > 1)
        #endif
    }

    @Test(arguments: ColorSpace.all, [true, false])
    func `every instruction set converts RGB to YUV with the same result`(
        color: ColorSpace, isBlueFirst: Bool
    ) {
        var weights = greenroom_from_rgb(to: color, isBlueFirst: isBlueFirst)
        for width in Self.widths {
            Self.compare([4 * width], [width], "luma of \(width)") {
                $0.luma($1[0].start, $2[0].start, Int32(width), &weights)
            }
            let chroma = (width + 1) / 2
            Self.compare([4 * width, 4 * width], [chroma, chroma], "chroma of \(width)") {
                $0.chroma(
                    $1[0].start, $1[1].start, $2[0].start, $2[1].start, Int32(width), &weights)
            }
        }
    }

    @Test(arguments: ColorSpace.all, [true, false])
    func `every instruction set converts YUV to RGB with the same result`(
        color: ColorSpace, isBlueFirst: Bool
    ) {
        var weights = greenroom_to_rgb(from: color)
        if !isBlueFirst { weights = weights.mirrored }
        for width in Self.widths {
            let chroma = (width + 1) / 2
            Self.compare([width, chroma, chroma], [4 * width], "pixels of \(width)") {
                $0.pixels(
                    $1[0].start, $1[1].start, $1[2].start, $2[0].start, Int32(width), &weights)
            }
            for u in 0...1 {
                Self.compare([width, 2 * chroma], [4 * width], "pixels of \(width), pairs") {
                    $0.pixels_of_pairs(
                        $1[0].start, $1[1].start + u, $1[1].start + 1 - u, $2[0].start,
                        Int32(width), &weights)
                }
            }
        }
    }

    @Test(arguments: ColorSpace.all, ColorSpace.all)
    func `every instruction set converts YUV to other colour spaces with the same result`(
        from: ColorSpace, to: ColorSpace
    ) {
        var weights = greenroom_recolor(from: from, to: to)
        for width in Self.widths {
            Self.compare([width], [width], "range of \(width)") {
                $0.range($1[0].start, $2[0].start, Int32(width), &weights)
            }
            let chroma = (width + 1) / 2
            Self.compare([width, chroma, chroma], [width], "matrix of \(width)") {
                $0.matrix(
                    $1[0].start, $1[1].start, $1[2].start, $2[0].start, Int32(width), &weights)
            }
            Self.compare([width, width], [width, width], "chroma of \(width)") {
                $0.recolor(
                    $1[0].start, $1[1].start, $2[0].start, $2[1].start, Int32(width), &weights)
            }
        }
    }

    @Test func `every instruction set replaces samples by a table with the same result`() {
        // Noise that is no line, which a table of differences would hide.
        let table = (0..<256).map { UInt8(truncatingIfNeeded: ($0 &* 167) ^ ($0 >> 3)) }
        for width in Self.widths {
            Self.compare([width], [width], "\(width) of a table") {
                $2[0].start.update(from: $1[0].start, count: width)
                $0.replace($2[0].start, Int32(width), table)
            }
        }
        for value in UInt8.min...UInt8.max {
            for set in Self.sets {
                var row = [UInt8](repeating: value, count: 64)
                set.replace(&row, 64, table)
                #expect(row == Array(repeating: table[Int(value)], count: 64))
            }
        }
    }

    @Test(arguments: 1...9)
    func `every instruction set scales vertically with the same result`(pairs: Int) {
        let taps = 2 * pairs
        // Noise that makes 128, with negative lobes: in pairs that make 128 at most.
        var weights = [Int8](repeating: 0, count: taps)
        for pair in 0..<pairs {
            (weights[2 * pair], weights[2 * pair + 1]) = (Int8(17 * pair % 40), -3)
        }
        weights[0] += Int8(clamping: 128 - weights.reduce(0) { $0 + Int($1) })
        for width in Self.widths {
            Self.compare(Array(repeating: width, count: taps), [width], "\(taps) rows of \(width)")
            {
                let rows = $1.map { UnsafePointer($0.start) }
                $0.blend(rows, weights, Int32(taps), $2[0].start, Int32(width))
            }
        }
    }

    @Test(arguments: [1, 2, 3, 7, 16, 33, 131, 640, 857], [1, 4])
    func `every instruction set scales horizontally with the same result`(from: Int, channels: Int)
    {
        let targets = [1, 2, 3, 5, 8, 17, 63, 64, 65, 200, from * 2 / 3, from / 4, from * 3 / 2]
        for to in targets where to > 0 && to * 8 > from && to != from {
            Self.compareScaling(from: from, to: to, channels: channels)
        }
    }

    /// The period in results, and the samples that it advances, with windows of 16 and of 64.
    @Test(arguments: [
        (1920, 1280, 1, [8, 12], [32, 48]), (960, 640, 1, [8, 12], [32, 48]),
        (1920, 1440, 1, [24, 32], [96, 128]), (960, 720, 1, [24, 32], [96, 128]),
        (1280, 1920, 1, [24, 16], [96, 64]), (1920, 640, 1, [8, 24], [32, 96]),
        (480, 320, 4, [8, 12], [32, 48]), (200, 150, 1, [24, 32], [96, 128]),
        (100, 75, 1, [24, 32], [0, 0]), (1920, 858, 1, [0, 0], [0, 0]),
    ])
    func `windows that repeat scale horizontally with the same result in every set`(
        from: Int, to: Int, channels: Int, short: [Int], long: [Int]
    ) {
        for (window, period) in [(16, short), (64, long)] {
            let filter = PolyphaseFilter(from: from, to: to, channels: channels, window: window)
            let taps = filter.taps.pointee
            #expect([Int(taps.period), Int(taps.advance)] == period)
        }
        Self.compareScaling(from: from, to: to, channels: channels)
    }

    private static func compareScaling(from: Int, to: Int, channels: Int) {
        let padding = PlaneScaler.padding
        let filters = [16, 64].map {
            PolyphaseFilter(from: from, to: to, channels: channels, window: $0)
        }
        compare(
            [padding + from * channels + padding], [to * channels],
            "\(from) to \(to), \(channels) channels"
        ) { set, inputs, outputs in
            let filter = filters[set.window == 16 ? 0 : 1]
            set.scale(inputs[0].start + padding, outputs[0].start, filter.taps)
        }
    }
}

/// Plain C, compared with real numbers: the largest error in levels, and the mean of all.
@Suite struct KernelPrecisionTests {
    private static let levels = Array(stride(from: 0, through: 255, by: 15))
    private static var plain: greenroom_kernels? {
        (0...).lazy.map { greenroom_kernels_at($0) }.prefix { $0 != nil }.compactMap(\.self).last?
            .pointee
    }

    private struct Errors {
        var largest = 0.0
        private var sum = 0.0
        private var count = 0.0
        var mean: Double { sum / count }

        mutating func add(_ made: UInt8, _ exact: Double) {
            let error = Double(made) - max(0, min(255, exact))
            largest = max(largest, abs(error))
            // What is clipped has no mean.
            guard (1...254).contains(exact) else { return }
            sum += error
            count += 1
        }
    }

    @Test(arguments: ColorSpace.all)
    func `a conversion from YUV to RGB is exact to 0.6 levels`(color: ColorSpace) throws {
        let kernels = try #require(Self.plain)
        var weights = greenroom_to_rgb(from: color)
        let luma = (0...255).map { UInt8($0) }
        var errors = Errors()
        for u in Self.levels {
            for v in Self.levels {
                let chroma = [u, v].map { [UInt8](repeating: UInt8($0), count: 128) }
                var pixels = [UInt8](repeating: 0, count: 4 * luma.count)
                kernels.pixels(luma, chroma[0], chroma[1], &pixels, Int32(luma.count), &weights)
                for y in luma.indices {
                    let exact = ReferenceFrame.rgb([Double(y), Double(u), Double(v)], color)
                    for index in 0..<3 { errors.add(pixels[4 * y + index], exact[2 - index]) }
                }
            }
        }
        #expect(errors.largest < 0.6)
        #expect(abs(errors.mean) < 0.1)
    }

    @Test(arguments: ColorSpace.all)
    func `a conversion from RGB to YUV is exact to 1.1 levels`(color: ColorSpace) throws {
        let kernels = try #require(Self.plain)
        var weights = greenroom_from_rgb(to: color, isBlueFirst: false)
        var errors = [Errors(), Errors(), Errors()]
        for red in Self.levels {
            for green in Self.levels {
                // Pairs of equal pixels, whose mean is exact.
                let blues: [UInt8] = Self.levels.flatMap { [UInt8($0), UInt8($0)] }
                let pixels: [UInt8] = blues.flatMap { [UInt8(red), UInt8(green), $0, 255] }
                let count = blues.count
                var luma = [UInt8](repeating: 0, count: count)
                var (u, v) = (luma, luma)
                kernels.luma(pixels, &luma, Int32(count), &weights)
                kernels.chroma(pixels, pixels, &u, &v, Int32(count), &weights)
                for x in stride(from: 0, to: count, by: 2) {
                    let exact = ReferenceFrame.yuv(
                        [Double(red), Double(green), Double(blues[x])], color)
                    errors[0].add(luma[x], exact[0])
                    errors[1].add(u[x / 2], exact[1])
                    errors[2].add(v[x / 2], exact[2])
                }
            }
        }
        for errors in errors {
            #expect(errors.largest < 1.1)
            #expect(abs(errors.mean) < 0.1)
        }
    }

    @Test(arguments: ColorSpace.all, ColorSpace.all)
    func `a conversion of YUV to another colour space is exact to 0.6 levels`(
        from: ColorSpace, to: ColorSpace
    ) throws {
        let kernels = try #require(Self.plain)
        var weights = greenroom_recolor(from: from, to: to)
        let luma = (0...255).map { UInt8($0) }
        var errors = Errors()
        for u in Self.levels {
            for v in Self.levels {
                let chroma = [u, v].map { [UInt8](repeating: UInt8($0), count: 128) }
                var result = luma
                kernels.matrix(luma, chroma[0], chroma[1], &result, 256, &weights)
                for y in luma.indices {
                    let exact = ReferenceFrame.yuv(
                        ReferenceFrame.rgb([Double(y), Double(u), Double(v)], from), to)
                    errors.add(result[y], exact[0])
                }
                var (uResult, vResult): ([UInt8], [UInt8]) = ([0], [0])
                kernels.recolor(chroma[0], chroma[1], &uResult, &vResult, 1, &weights)
                let exact = ReferenceFrame.yuv(
                    ReferenceFrame.rgb([128, Double(u), Double(v)], from), to)
                errors.add(uResult[0], exact[1])
                errors.add(vResult[0], exact[2])
            }
        }
        #expect(errors.largest < 0.6)
        #expect(abs(errors.mean) < 0.05)
    }

    /// Weights of 7 bits, between which two passes round to 8 bits.
    @Test(arguments: [
        ("96x54", "64x36"), ("96x54", "43x24"), ("96x54", "31x17"), ("96x54", "13x8"),
        ("64x36", "96x54"), ("43x25", "96x54"), ("64x36", "40x54"), ("33x33", "32x34"),
    ])
    func `scaling is exact to 3 levels, and to 0.33 levels on average`(from: String, to: String)
        throws
    {
        let (from, to) = (try #require(FrameSize(from)), try #require(FrameSize(to)))
        var noise = Noise(from.area)
        let source = (0..<from.area).map { _ in noise.next() }
        var result = [UInt8](repeating: 0, count: to.area)
        PlaneScaler(from: from, to: to, channels: 1).scale(
            source, stride: from.width, to: &result, stride: to.width, rows: 0..<to.height)
        let (columns, rows) = (weights(from.width, to.width), weights(from.height, to.height))
        var errors = Errors()
        for y in 0..<to.height {
            for x in 0..<to.width {
                var exact = 0.0
                for column in columns[x] {
                    var sum = 0.0
                    for row in rows[y] {
                        sum += row.weight * Double(source[row.at * from.width + column.at])
                    }
                    exact += column.weight * sum
                }
                errors.add(result[y * to.width + x], exact)
            }
        }
        #expect(errors.largest < 3)
        #expect(abs(errors.mean) < 0.33)
    }

    /// The exact weights of each result: what it covers; or, if it grows, by distance.
    private func weights(_ from: Int, _ to: Int) -> [[(at: Int, weight: Double)]] {
        let ratio = Double(from) / Double(to)
        return (0..<to).map { result in
            let (begin, end) = (Double(result) * ratio, Double(result + 1) * ratio)
            if ratio >= 1 {
                return (0..<from).compactMap {
                    let covered = min(end, Double($0 + 1)) - max(begin, Double($0))
                    return covered > 0 ? ($0, covered / ratio) : nil
                }
            }
            let centre = (begin + end) / 2 - 0.5
            return [centre.rounded(.down), centre.rounded(.down) + 1].map {
                (max(0, min(from - 1, Int($0))), 1 - abs($0 - centre))
            }
        }
    }
}

/// Bytes of noise that begin after a page without access, or end before one.
private final class GuardedRow {
    let start: UnsafeMutablePointer<UInt8>
    private let count: Int
    private let inner: Int
    /// The first byte between the pages without access.
    private let memory: UnsafeMutableRawPointer

    private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    /// Memory of rows that have ended, by its length: the kernel takes longer to map it than tests to use
    /// it.
    private static let free = Mutex<[Int: [UInt]]>([:])

    init(_ count: Int, atEnd: Bool, seed: Int) {
        let inner = (count + Self.page - 1) / Self.page * Self.page
        let known = Self.free.withLock { $0[inner]?.popLast() }
        memory = known.flatMap { UnsafeMutableRawPointer(bitPattern: $0) } ?? Self.map(inner)
        self.count = count
        self.inner = inner
        start = (memory + (atEnd ? inner - count : 0)).assumingMemoryBound(to: UInt8.self)
        start.update(repeating: 0, count: count)
        guard seed > 0 else { return }
        // Bright and dark areas with hard edges reach the limits of sums.
        var noise = Noise(seed)
        for index in 0..<count {
            start[index] =
                switch noise.next() % 4 {
                case 0: 0
                case 1: 255
                default: noise.next()
                }
        }
    }

    deinit {
        let (inner, address) = (inner, UInt(bitPattern: memory))
        Self.free.withLock { $0[inner, default: []].append(address) }
    }

    private static func map(_ inner: Int) -> UnsafeMutableRawPointer {
        let whole = mmap(nil, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let whole, whole != MAP_FAILED else { preconditionFailure("no memory for a row") }
        mprotect(whole + page, inner, PROT_READ | PROT_WRITE)
        return whole + page
    }

    var bytes: UnsafeMutableBufferPointer<UInt8> { .init(start: start, count: count) }
}
