/// Conversions that libyuv lacks, for a row or two at a time.
///
/// - libyuv 1857 converts RGB to YUV by BT.601 only.
/// - It can't change the range or the matrix of YUV. A detour over RGB takes two passes over four
///   bytes a pixel and clips colours outside RGB; one pass over the planes is faster and exact.
/// - It converts BT.709 limited to RGB with a weight of 2.0 for U in blue instead of 2.11, because
///   its constants have no more range: saturated blue is off by 14 levels.
///
/// ## Arithmetic
///
/// All values and products are 16 bits wide, so that the vectoriser uses the full width of the
/// registers, even on the oldest x86-64. For that a weight has two parts, in 32nds and in 4096ths;
/// the product of a sample and the fine part is truncated to 32nds, which the biases compensate.
/// Results are within 0.7 levels of the exact number, and within 1.2 after a rounded mean. Nothing
/// overflows: the largest sum, luma and U in blue, stays below 600 levels; the limit is 1023.
///
/// The loops have no branches. They trust their callers with the length of rows.
enum ColorKernels {
    /// The weights of a pixel's bytes in memory order, and the bias.
    struct ByteWeights {
        let first, second, third: ColorTransform.Weight
        let bias: Int16
    }

    /// Luma of a row of 32-bit pixels.
    static func luma(
        ofRow pixels: UnsafePointer<UInt32>, width: Int, _ weights: ByteWeights,
        into luma: UnsafeMutablePointer<UInt8>
    ) {
        for x in 0..<width {
            let pixel = pixels[x]
            luma[x] = level(
                term(byte(pixel, 0), weights.first)
                    &+ term(byte(pixel, 1), weights.second)
                    &+ term(byte(pixel, 2), weights.third) &+ weights.bias)
        }
    }

    /// One chroma row from two rows of 32-bit pixels. Each sample is the mean of 2 by 2 pixels; an
    /// odd last column counts twice.
    static func chroma(
        ofRows upper: UnsafePointer<UInt32>, _ lower: UnsafePointer<UInt32>, width: Int,
        u uWeights: ByteWeights, v vWeights: ByteWeights,
        intoU u: UnsafeMutablePointer<UInt8>, intoV v: UnsafeMutablePointer<UInt8>
    ) {
        @inline(__always) func convert(_ x: Int, _ left: Int, _ right: Int) {
            let (a, b, c, d) = (upper[left], upper[right], lower[left], lower[right])
            let first = mean(byte(a, 0), byte(b, 0), byte(c, 0), byte(d, 0))
            let second = mean(byte(a, 1), byte(b, 1), byte(c, 1), byte(d, 1))
            let third = mean(byte(a, 2), byte(b, 2), byte(c, 2), byte(d, 2))
            u[x] = chromaLevel(
                term(first, uWeights.first) &+ term(second, uWeights.second)
                    &+ term(third, uWeights.third) &+ uWeights.bias)
            v[x] = chromaLevel(
                term(first, vWeights.first) &+ term(second, vWeights.second)
                    &+ term(third, vWeights.third) &+ vWeights.bias)
        }
        for x in 0..<(width / 2) { convert(x, 2 * x, 2 * x + 1) }
        if !width.isMultiple(of: 2) { convert(width / 2, width - 1, width - 1) }
    }

    /// Makes a row of 32-bit pixels from a row of luma and its chroma rows.
    ///
    /// - Parameters:
    ///   - blueShift: The position of blue in a pixel, in bits: 0 for BGRA, 16 for RGBA.
    static func pixels(
        ofLuma luma: UnsafePointer<UInt8>, u: UnsafePointer<UInt8>, v: UnsafePointer<UInt8>,
        width: Int, _ color: ColorTransform.ToRGB, blueShift: UInt32,
        into pixels: UnsafeMutablePointer<UInt32>
    ) {
        let redShift = 16 &- blueShift
        @inline(__always) func convert(_ x: Int, _ u: Int16, _ v: Int16) {
            let grey = term(Int16(luma[x]), color.y) &+ color.bias
            let red = level(grey &+ term(v, color.redV))
            let green = level(grey &+ term(u, color.greenU) &+ term(v, color.greenV))
            let blue = level(grey &+ term(u, color.blueU))
            pixels[x] =
                UInt32(blue) &<< blueShift | UInt32(green) &<< 8 | UInt32(red) &<< redShift
                | 0xff00_0000
        }
        for x in 0..<(width / 2) {
            let (u, v) = (chroma(u[x]), chroma(v[x]))
            convert(2 * x, u, v)
            convert(2 * x + 1, u, v)
        }
        if !width.isMultiple(of: 2) {
            convert(width - 1, chroma(u[width / 2]), chroma(v[width / 2]))
        }
    }

    /// Changes the range of a luma row.
    static func recolor(
        luma: UnsafePointer<UInt8>, width: Int, _ color: ColorTransform.Recoloring,
        into result: UnsafeMutablePointer<UInt8>
    ) {
        for x in 0..<width {
            result[x] = level(term(Int16(luma[x]), color.y) &+ color.yBias)
        }
    }

    /// Changes the matrix of a luma row, with its chroma rows.
    static func recolor(
        luma: UnsafePointer<UInt8>, u: UnsafePointer<UInt8>, v: UnsafePointer<UInt8>, width: Int,
        _ color: ColorTransform.Recoloring, into result: UnsafeMutablePointer<UInt8>
    ) {
        @inline(__always) func convert(_ x: Int, _ shift: Int16) {
            result[x] = level(term(Int16(luma[x]), color.y) &+ shift)
        }
        @inline(__always) func shift(_ x: Int) -> Int16 {
            term(chroma(u[x]), color.yU) &+ term(chroma(v[x]), color.yV) &+ color.yBias
        }
        for x in 0..<(width / 2) {
            let shift = shift(x)
            convert(2 * x, shift)
            convert(2 * x + 1, shift)
        }
        if !width.isMultiple(of: 2) { convert(width - 1, shift(width / 2)) }
    }

    /// Changes the range or matrix of a row of U and one of V.
    static func recolor(
        u: UnsafePointer<UInt8>, v: UnsafePointer<UInt8>, count: Int,
        _ color: ColorTransform.Recoloring, intoU uResult: UnsafeMutablePointer<UInt8>,
        intoV vResult: UnsafeMutablePointer<UInt8>
    ) {
        for x in 0..<count {
            let (u, v) = (chroma(u[x]), chroma(v[x]))
            uResult[x] = chromaLevel(
                term(u, color.uU) &+ term(v, color.uV) &+ color.uvBias)
            vResult[x] = chromaLevel(
                term(u, color.vU) &+ term(v, color.vV) &+ color.uvBias)
        }
    }

    @inline(__always)
    private static func byte(_ pixel: UInt32, _ index: UInt32) -> Int16 {
        Int16(truncatingIfNeeded: (pixel &>> (8 &* index)) & 0xff)
    }

    @inline(__always)
    private static func mean(_ a: Int16, _ b: Int16, _ c: Int16, _ d: Int16) -> Int16 {
        (a &+ b &+ c &+ d &+ 2) &>> 2
    }

    /// A sample of U or V minus 128.
    @inline(__always)
    private static func chroma(_ sample: UInt8) -> Int16 { Int16(sample) &- 128 }

    @inline(__always)
    private static func term(_ sample: Int16, _ weight: ColorTransform.Weight) -> Int16 {
        sample &* weight.coarse &+ (sample &* weight.fine) &>> 7
    }

    /// The integer part of a sum, clamped to 8 bits.
    @inline(__always)
    private static func level(_ sum: Int16) -> UInt8 { clipped(sum &>> 5) }

    /// The same for U and V, which are relative to 128.
    @inline(__always)
    private static func chromaLevel(_ sum: Int16) -> UInt8 { clipped(sum &>> 5 &+ 128) }

    @inline(__always)
    private static func clipped(_ level: Int16) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, level)))
    }
}
