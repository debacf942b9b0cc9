/// Conversions that libyuv lacks, a row or two at a time.
///
/// - Version 1857 converts RGB to YUV by BT.601 alone.
/// - It has nothing that changes the range or the matrix of YUV. By way of RGB such a change takes
///   two passes over four bytes a pixel and clips colours that RGB has not; one pass over the
///   planes is faster and exact.
/// - It converts BT.709 limited to RGB, but on x86 with a weight of 2.0 for U in blue where 2.11
///   is right, because its vector code has no room for more: saturated blue is off by 14 levels.
///
/// The loops are written for the vectoriser: straight lines, 32-bit arithmetic on products of
/// 16-bit factors, no branch, pointers that are local. They trust their callers with the length
/// of rows. Products and sums can't overflow: 2.2 times 1020 with 13 fractional bits is below
/// 2^25.
enum ColorKernels {
    /// Luma of a row of 32-bit pixels.
    ///
    /// - Parameters:
    ///   - first: The weight of a pixel's first byte in memory, blue in BGRA.
    ///   - second: The weight of green.
    ///   - third: The weight of the third byte.
    static func luma(
        ofRow pixels: UnsafePointer<UInt32>, width: Int, first: Int16, second: Int16, third: Int16,
        bias: Int32, into luma: UnsafeMutablePointer<UInt8>
    ) {
        for x in 0..<width {
            let pixel = pixels[x]
            luma[x] = quantized(
                product(byte(pixel, 0), first) &+ product(byte(pixel, 1), second)
                    &+ product(byte(pixel, 2), third) &+ bias, 0)
        }
    }

    /// One chroma row of two rows of 32-bit pixels: each sample is that of the mean of 2 by 2
    /// pixels, at an odd edge of the last column twice.
    ///
    /// - Parameters:
    ///   - width: Pixels in a row.
    ///   - u: The weights of a pixel's bytes in U.
    ///   - v: The weights of a pixel's bytes in V.
    static func chroma(
        ofRows upper: UnsafePointer<UInt32>, _ lower: UnsafePointer<UInt32>, width: Int,
        u: (Int16, Int16, Int16), v: (Int16, Int16, Int16), bias: Int32,
        intoU uRow: UnsafeMutablePointer<UInt8>, intoV vRow: UnsafeMutablePointer<UInt8>
    ) {
        let bias = bias &* 4
        for x in 0..<(width / 2) {
            let (a, b, c, d) = (upper[2 * x], upper[2 * x + 1], lower[2 * x], lower[2 * x + 1])
            let first = byte(a, 0) &+ byte(b, 0) &+ byte(c, 0) &+ byte(d, 0)
            let second = byte(a, 1) &+ byte(b, 1) &+ byte(c, 1) &+ byte(d, 1)
            let third = byte(a, 2) &+ byte(b, 2) &+ byte(c, 2) &+ byte(d, 2)
            uRow[x] = quantized(
                product(first, u.0) &+ product(second, u.1) &+ product(third, u.2) &+ bias, 2)
            vRow[x] = quantized(
                product(first, v.0) &+ product(second, v.1) &+ product(third, v.2) &+ bias, 2)
        }
        guard !width.isMultiple(of: 2) else { return }
        let (a, c, x) = (upper[width - 1], lower[width - 1], width / 2)
        let first = (byte(a, 0) &+ byte(c, 0)) &* 2
        let second = (byte(a, 1) &+ byte(c, 1)) &* 2
        let third = (byte(a, 2) &+ byte(c, 2)) &* 2
        uRow[x] = quantized(
            product(first, u.0) &+ product(second, u.1) &+ product(third, u.2) &+ bias, 2)
        vRow[x] = quantized(
            product(first, v.0) &+ product(second, v.1) &+ product(third, v.2) &+ bias, 2)
    }

    /// A row of 32-bit pixels of a row of luma and the chroma rows that belong to it.
    ///
    /// - Parameters:
    ///   - blueShift: Where blue lies in a pixel, in bits: 0 for BGRA, 16 for RGBA.
    static func pixels(
        ofLuma luma: UnsafePointer<UInt8>, u: UnsafePointer<UInt8>, v: UnsafePointer<UInt8>,
        width: Int, by color: borrowing ColorTransform.ToRGB, blueShift: UInt32,
        into pixels: UnsafeMutablePointer<UInt32>
    ) {
        let (y, redV, greenU, greenV, blueU) =
            (color.y, color.redV, color.greenU, color.greenV, color.blueU)
        let (bias, redShift) = (color.bias, 16 &- blueShift)
        for x in 0..<width {
            let (u, v) = (Int32(u[x / 2]) &- 128, Int32(v[x / 2]) &- 128)
            let grey = product(Int32(luma[x]), y) &+ bias
            let red = quantized(grey &+ product(v, redV), 0)
            let green = quantized(grey &+ product(u, greenU) &+ product(v, greenV), 0)
            let blue = quantized(grey &+ product(u, blueU), 0)
            pixels[x] =
                UInt32(blue) &<< blueShift | UInt32(green) &<< 8 | UInt32(red) &<< redShift
                | 0xff00_0000
        }
    }

    /// A row of samples, each of which depends on itself alone.
    ///
    /// - Parameter origin: What is subtracted before the sample is weighed: 0 or 128.
    static func scale(
        row: UnsafePointer<UInt8>, count: Int, by weight: Int16, origin: Int32, bias: Int32,
        into result: UnsafeMutablePointer<UInt8>
    ) {
        for x in 0..<count {
            result[x] = quantized(product(Int32(row[x]) &- origin, weight) &+ bias, 0)
        }
    }

    /// A row of luma by the chroma row that belongs to it.
    static func recolor(
        luma: UnsafePointer<UInt8>, u: UnsafePointer<UInt8>, v: UnsafePointer<UInt8>, width: Int,
        by color: borrowing ColorTransform.Recoloring, into result: UnsafeMutablePointer<UInt8>
    ) {
        let (y, yU, yV, bias) = (color.y, color.yU, color.yV, color.yBias)
        for x in 0..<(width / 2) {
            let shift =
                product(Int32(u[x]) &- 128, yU) &+ product(Int32(v[x]) &- 128, yV) &+ bias
            result[2 * x] = quantized(product(Int32(luma[2 * x]), y) &+ shift, 0)
            result[2 * x + 1] = quantized(product(Int32(luma[2 * x + 1]), y) &+ shift, 0)
        }
        guard !width.isMultiple(of: 2) else { return }
        let x = width / 2
        let shift = product(Int32(u[x]) &- 128, yU) &+ product(Int32(v[x]) &- 128, yV) &+ bias
        result[2 * x] = quantized(product(Int32(luma[2 * x]), y) &+ shift, 0)
    }

    /// A row of U and of V.
    static func recolor(
        u: UnsafePointer<UInt8>, v: UnsafePointer<UInt8>, count: Int,
        by color: borrowing ColorTransform.Recoloring, intoU uResult: UnsafeMutablePointer<UInt8>,
        intoV vResult: UnsafeMutablePointer<UInt8>
    ) {
        let (uU, uV, vU, vV, bias) = (color.uU, color.uV, color.vU, color.vV, color.uvBias)
        for x in 0..<count {
            let (uIn, vIn) = (Int32(u[x]) &- 128, Int32(v[x]) &- 128)
            uResult[x] = quantized(product(uIn, uU) &+ product(vIn, uV) &+ bias, 0)
            vResult[x] = quantized(product(uIn, vU) &+ product(vIn, vV) &+ bias, 0)
        }
    }

    @inline(__always)
    private static func byte(_ pixel: UInt32, _ index: UInt32) -> Int32 {
        Int32(truncatingIfNeeded: (pixel &>> (8 &* index)) & 0xff)
    }

    /// Widened here and not before, so that the compiler sees factors of 16 bits, for which even
    /// the oldest x86-64 has a vector instruction.
    @inline(__always)
    private static func product(_ sample: Int32, _ weight: Int16) -> Int32 {
        Int32(Int16(truncatingIfNeeded: sample)) &* Int32(weight)
    }

    /// The integer part, within 8 bits.
    @inline(__always)
    private static func quantized(_ fixed: Int32, _ moreFractionBits: Int32) -> UInt8 {
        let level = fixed &>> (Int32(ColorTransform.fractionBits) &+ moreFractionBits)
        return UInt8(truncatingIfNeeded: max(0, min(255, level)))
    }
}
