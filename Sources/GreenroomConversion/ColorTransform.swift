internal import GreenroomMedia

/// The weights of ``ColorKernels``, from the definitions of BT.601 and BT.709.
///
/// A bias, in 32nds, is the sum of the result's offset, the half for rounding, and half a unit for
/// each truncated term. The kernels add the 128 of U and V.
enum ColorTransform {
    /// A factor from -4 to 4, in 32nds and 4096ths.
    struct Weight: Equatable {
        let coarse, fine: Int16

        init(_ value: Double) {
            let whole = Int16((value * 4096).rounded())
            coarse = whole >> 7
            fine = whole & 127
        }
    }

    private static func bias(_ offset: Double, terms: Int) -> Int16 {
        Int16(((offset + 0.5) * 32 + Double(terms) / 2).rounded())
    }

    /// From RGB to YUV: each of Y, U and V is a weighted sum of red, green and blue.
    struct FromRGB {
        let yRed, yGreen, yBlue, uRed, uGreen, uBlue, vRed, vGreen, vBlue: Weight
        let yBias, uvBias: Int16

        init(to color: ColorSpace) {
            let (red, green, blue) = color.matrix.lumaWeights
            let (lumaScale, chromaScale) = color.range.scales
            yRed = Weight(red * lumaScale)
            yGreen = Weight(green * lumaScale)
            yBlue = Weight(blue * lumaScale)
            // U = (B - Y) / 2 (1 - blue), V = (R - Y) / 2 (1 - red).
            let uScale = chromaScale / (2 * (1 - blue))
            let vScale = chromaScale / (2 * (1 - red))
            uRed = Weight(-red * uScale)
            uGreen = Weight(-green * uScale)
            uBlue = Weight((1 - blue) * uScale)
            vRed = Weight((1 - red) * vScale)
            vGreen = Weight(-green * vScale)
            vBlue = Weight(-blue * vScale)
            yBias = bias(Double(color.range.blackLuma), terms: 3)
            uvBias = bias(0, terms: 3)
        }
    }

    /// From YUV to RGB, with u and v relative to 128: red is y Y + redV v + offset, and so on.
    struct ToRGB {
        let y, redV, greenU, greenV, blueU: Weight
        let bias: Int16

        init(from color: ColorSpace) {
            let (red, green, blue) = color.matrix.lumaWeights
            let (lumaScale, chromaScale) = color.range.scales
            let blueOfU = 2 * (1 - blue) / chromaScale
            let redOfV = 2 * (1 - red) / chromaScale
            y = Weight(1 / lumaScale)
            blueU = Weight(blueOfU)
            redV = Weight(redOfV)
            greenU = Weight(-blueOfU * blue / green)
            greenV = Weight(-redOfV * red / green)
            bias = ColorTransform.bias(-Double(color.range.blackLuma) / lumaScale, terms: 2)
        }
    }

    /// From YUV to YUV, with u and v relative to 128: Y' = y Y + yU u + yV v + offset, and U' and
    /// V' are weighted sums of u and v. They don't depend on Y, because grey stays grey.
    struct Recoloring {
        let y, yU, yV, uU, uV, vU, vV: Weight
        let yBias, uvBias: Int16

        /// Whether luma depends only on luma.
        var keepsMatrix: Bool { yU == Weight(0) && yV == Weight(0) }

        init(from input: ColorSpace, to output: ColorSpace) {
            let (inRed, inGreen, inBlue) = input.matrix.lumaWeights
            let (outRed, outGreen, outBlue) = output.matrix.lumaWeights
            let (inLuma, inChroma) = input.range.scales
            let (outLuma, outChroma) = output.range.scales
            // Differences of red, green and blue from the input's luma, for one unit of u and v.
            let blueOfU = 2 * (1 - inBlue)
            let redOfV = 2 * (1 - inRed)
            let greenOfU = -blueOfU * inBlue / inGreen
            let greenOfV = -redOfV * inRed / inGreen
            // The output's luma of these differences; then its differences of blue and red.
            let lumaOfU = outGreen * greenOfU + outBlue * blueOfU
            let lumaOfV = outRed * redOfV + outGreen * greenOfV
            let uOf = 1 / (2 * (1 - outBlue))
            let vOf = 1 / (2 * (1 - outRed))
            let chroma = outChroma / inChroma
            y = Weight(outLuma / inLuma)
            yU = Weight(lumaOfU * outLuma / inChroma)
            yV = Weight(lumaOfV * outLuma / inChroma)
            uU = Weight((blueOfU - lumaOfU) * uOf * chroma)
            uV = Weight(-lumaOfV * uOf * chroma)
            vU = Weight(-lumaOfU * vOf * chroma)
            vV = Weight((redOfV - lumaOfV) * vOf * chroma)
            let black = Double(input.range.blackLuma) * outLuma / inLuma
            yBias = bias(
                Double(output.range.blackLuma) - black, terms: input.matrix == output.matrix ? 1 : 3
            )
            uvBias = bias(0, terms: input.matrix == output.matrix ? 1 : 2)
        }
    }
}

extension ColorMatrix {
    /// The weights of red, green and blue in luma.
    fileprivate var lumaWeights: (red: Double, green: Double, blue: Double) {
        switch self {
        case .bt601: (0.299, 0.587, 0.114)
        case .bt709: (0.2126, 0.7152, 0.0722)
        }
    }
}

extension ColorRange {
    /// The ranges of luma and chroma, relative to RGB's.
    fileprivate var scales: (luma: Double, chroma: Double) {
        self == .limited ? (219.0 / 255, 224.0 / 255) : (1, 1)
    }
}
