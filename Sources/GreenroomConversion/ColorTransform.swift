internal import CGreenroomKernels
internal import GreenroomMedia

// The weights of the kernels, from the definitions of BT.601 and BT.709.
//
// Y from RGB, and U and V from RGB, have weights of 8 bits. All other weights have 13 bits. Their
// products with samples have 5 bits after the point and are rounded down, so the bias includes half
// of a unit for each such term. A weight of 1 does not round.

extension greenroom_from_rgb {
    /// - Parameter isBlueFirst: Whether the order in memory is BGRA rather than RGBA.
    init(to color: ColorSpace, isBlueFirst: Bool) {
        let (red, green, blue) = color.matrix.lumaWeights
        let (lumaScale, chromaScale) = color.range.scales
        func inMemory<Weight: FixedWidthInteger>(
            _ red: Double, _ green: Double, _ blue: Double, _: Weight.Type
        ) -> (Weight, Weight, Weight, Weight) {
            let whole = Self.rounded([red, green, blue])
            let (red, blue) = isBlueFirst ? (whole[2], whole[0]) : (whole[0], whole[2])
            return (Weight(clamping: red), Weight(clamping: whole[1]), Weight(clamping: blue), 0)
        }
        // U = (B - Y) / 2 (1 - blue), V = (R - Y) / 2 (1 - red).
        let uScale = -chromaScale / (2 * (1 - blue))
        let vScale = -chromaScale / (2 * (1 - red))
        self.init(
            y: inMemory(red * lumaScale, green * lumaScale, blue * lumaScale, UInt8.self),
            u: inMemory(-red * uScale, -green * uScale, (1 - blue) * uScale, Int8.self),
            v: inMemory((1 - red) * vScale, -green * vScale, -blue * vScale, Int8.self),
            y_bias: Int32((256 * (Double(color.range.blackLuma) + 0.5 + 128 * lumaScale)).rounded())
        )
    }

    /// Returns weights in 256ths whose sum is the rounded sum, so that grey stays grey.
    private static func rounded(_ weights: InlineArray<3, Double>) -> InlineArray<3, Int> {
        var whole = InlineArray<3, Int> { Int((256 * weights[$0]).rounded()) }
        let sum = weights[0] + weights[1] + weights[2]
        // The sum is at most one off. The weight with the smallest error takes the difference.
        let excess = whole[0] + whole[1] + whole[2] - Int((256 * sum).rounded())
        guard excess != 0 else { return whole }
        func harm(_ index: Int) -> Double {
            abs(Double(whole[index] - excess) - 256 * weights[index])
        }
        let least = harm(0) < harm(1) ? 0 : 1
        whole[harm(2) < harm(least) ? 2 : least] -= excess
        return whole
    }
}

extension greenroom_to_rgb {
    init(from color: ColorSpace) {
        let (red, green, blue) = color.matrix.lumaWeights
        let (lumaScale, chromaScale) = color.range.scales
        let blueOfU = 2 * (1 - blue) / chromaScale
        let redOfV = 2 * (1 - red) / chromaScale
        self.init(
            y: UInt16(weight(1 / lumaScale)), blue_u: weight(blueOfU),
            green_u: weight(-blueOfU * blue / green), green_v: weight(-redOfV * red / green),
            red_v: weight(redOfV),
            // Green has two terms of chroma, blue and red have one.
            bias: fixedPoint(
                -Double(color.range.blackLuma) / lumaScale,
                terms: 4.0 / 3 + (lumaScale == 1 ? 0 : 1)))
    }

    /// The weights for the other order in memory, with U and V exchanged.
    var mirrored: Self {
        Self(y: y, blue_u: red_v, green_u: green_v, green_v: green_u, red_v: blue_u, bias: bias)
    }
}

extension greenroom_recolor {
    /// Makes the weights. With u and v relative to 128, Y' = y Y + yU u + yV v + offset, and U' and
    /// V' are weighted sums of u and v. U' and V' do not depend on Y, because grey stays grey.
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
        // The output's luma of these differences, then the output's differences of blue and red.
        let lumaOfU = outGreen * greenOfU + outBlue * blueOfU
        let lumaOfV = outRed * redOfV + outGreen * greenOfV
        let uOf = 1 / (2 * (1 - outBlue))
        let vOf = 1 / (2 * (1 - outRed))
        let chroma = outChroma / inChroma
        let black =
            Double(output.range.blackLuma) - Double(input.range.blackLuma) * outLuma / inLuma
        let chromaTerms = input.matrix == output.matrix ? 0 : 2.0
        self.init(
            y: UInt16(weight(outLuma / inLuma)), y_u: weight(lumaOfU * outLuma / inChroma),
            y_v: weight(lumaOfV * outLuma / inChroma),
            u_u: weight((blueOfU - lumaOfU) * uOf * chroma),
            u_v: weight(-lumaOfV * uOf * chroma), v_u: weight(-lumaOfU * vOf * chroma),
            v_v: weight((redOfV - lumaOfV) * vOf * chroma),
            y_bias: fixedPoint(black, terms: chromaTerms + (outLuma == inLuma ? 0 : 1)),
            uv_bias: fixedPoint(128, terms: max(1, chromaTerms)))
    }

    /// Whether luma depends only on luma.
    var keepsMatrix: Bool { y_u == 0 && y_v == 0 }
}

private func weight(_ value: Double) -> Int16 { Int16((value * 8192).rounded()) }

private func fixedPoint(_ offset: Double, terms: Double) -> Int16 {
    Int16(((offset + 0.5) * 32 + terms / 2).rounded())
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
    /// The ranges of luma and chroma, relative to RGB's range.
    fileprivate var scales: (luma: Double, chroma: Double) {
        self == .limited ? (219.0 / 255, 224.0 / 255) : (1, 1)
    }
}
