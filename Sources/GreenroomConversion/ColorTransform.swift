internal import GreenroomMedia

/// The arithmetic between colour spaces, from the definitions of BT.601 and BT.709.
///
/// Coefficients are fixed-point with 13 fractional bits: the largest, 2.1, fits a 16-bit integer,
/// and the error of a product with 8 bits stays below two hundredths of a level. Biases hold the offset of the
/// result and the half that rounds.
enum ColorTransform {
    static let fractionBits = 13

    private static func fixed(_ value: Double) -> Int16 {
        Int16((value * Double(1 << fractionBits)).rounded())
    }

    private static func fixedBias(_ value: Double) -> Int32 {
        Int32(((value + 0.5) * Double(1 << fractionBits)).rounded())
    }

    /// From RGB to YUV: each of Y, U and V is a weighted sum of red, green and blue.
    struct FromRGB {
        let yRed, yGreen, yBlue, uRed, uGreen, uBlue, vRed, vGreen, vBlue: Int16
        let yBias, uvBias: Int32

        init(to color: ColorSpace) {
            let (red, green, blue) = color.matrix.lumaWeights
            let (lumaScale, chromaScale) = color.range.scales
            yRed = fixed(red * lumaScale)
            yGreen = fixed(green * lumaScale)
            yBlue = fixed(blue * lumaScale)
            // U = (B - Y) / 2 (1 - blue), V = (R - Y) / 2 (1 - red).
            let uScale = chromaScale / (2 * (1 - blue))
            let vScale = chromaScale / (2 * (1 - red))
            uRed = fixed(-red * uScale)
            uGreen = fixed(-green * uScale)
            uBlue = fixed((1 - blue) * uScale)
            vRed = fixed((1 - red) * vScale)
            vGreen = fixed(-green * vScale)
            vBlue = fixed(-blue * vScale)
            yBias = fixedBias(Double(color.range.blackLuma))
            uvBias = fixedBias(128)
        }
    }

    /// From YUV to RGB. With u and v counted from 128: red is y Y + redV v + offset, and so on.
    struct ToRGB {
        let y, redV, greenU, greenV, blueU: Int16
        let bias: Int32

        init(from color: ColorSpace) {
            let (red, green, blue) = color.matrix.lumaWeights
            let (lumaScale, chromaScale) = color.range.scales
            let blueOfU = 2 * (1 - blue) / chromaScale
            let redOfV = 2 * (1 - red) / chromaScale
            y = fixed(1 / lumaScale)
            blueU = fixed(blueOfU)
            redV = fixed(redOfV)
            greenU = fixed(-blueOfU * blue / green)
            greenV = fixed(-redOfV * red / green)
            bias = fixedBias(-Double(color.range.blackLuma) / lumaScale)
        }
    }

    /// From YUV to YUV. With u and v counted from 128: Y' = y Y + yU u + yV v + offset, and U'
    /// and V' are weighted sums of u and v. Grey stays grey, so Y has no part in them.
    struct Recoloring {
        let y, yU, yV, uU, uV, vU, vV: Int16
        let yBias, uvBias: Int32

        /// Whether luma depends on luma alone, and U and V on themselves alone.
        var isRangeOnly: Bool { yU == 0 && yV == 0 && uV == 0 && vU == 0 }

        init(from input: ColorSpace, to output: ColorSpace) {
            let (inRed, inGreen, inBlue) = input.matrix.lumaWeights
            let (outRed, outGreen, outBlue) = output.matrix.lumaWeights
            let (inLuma, inChroma) = input.range.scales
            let (outLuma, outChroma) = output.range.scales
            // Distances of red, green and blue from the input's luma, for one unit of u and v.
            let blueOfU = 2 * (1 - inBlue)
            let redOfV = 2 * (1 - inRed)
            let greenOfU = -blueOfU * inBlue / inGreen
            let greenOfV = -redOfV * inRed / inGreen
            // The output's luma of those distances; then its distances of blue and red.
            let lumaOfU = outGreen * greenOfU + outBlue * blueOfU
            let lumaOfV = outRed * redOfV + outGreen * greenOfV
            let uOf = 1 / (2 * (1 - outBlue))
            let vOf = 1 / (2 * (1 - outRed))
            let chroma = outChroma / inChroma
            y = fixed(outLuma / inLuma)
            yU = fixed(lumaOfU * outLuma / inChroma)
            yV = fixed(lumaOfV * outLuma / inChroma)
            uU = fixed((blueOfU - lumaOfU) * uOf * chroma)
            uV = fixed(-lumaOfV * uOf * chroma)
            vU = fixed(-lumaOfU * vOf * chroma)
            vV = fixed((redOfV - lumaOfV) * vOf * chroma)
            yBias = fixedBias(
                Double(output.range.blackLuma)
                    - Double(input.range.blackLuma) * outLuma / inLuma)
            uvBias = fixedBias(128)
        }
    }
}

extension ColorMatrix {
    /// The shares of red, green and blue in luma.
    fileprivate var lumaWeights: (red: Double, green: Double, blue: Double) {
        switch self {
        case .bt601: (0.299, 0.587, 0.114)
        case .bt709: (0.2126, 0.7152, 0.0722)
        }
    }
}

extension ColorRange {
    /// The spans of luma and chroma, where that of RGB is 1.
    fileprivate var scales: (luma: Double, chroma: Double) {
        self == .limited ? (219.0 / 255, 224.0 / 255) : (1, 1)
    }
}
