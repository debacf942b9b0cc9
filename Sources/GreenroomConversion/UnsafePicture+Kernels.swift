internal import GreenroomMedia

/// The pictures over which ``ColorKernels`` go row by row.
extension UnsafePicture {
    /// Converts 32-bit RGB to I420.
    func convertRGBToYUV(_ weights: ColorTransform.FromRGB, to output: UnsafePicture) {
        let isBlueFirst = format.hasSameLayout(as: .bgra)
        let (width, height) = (size.width, size.height)
        for y in 0..<height {
            withPixelRow(y) { pixels in
                ColorKernels.luma(
                    ofRow: pixels, width: width,
                    first: isBlueFirst ? weights.yBlue : weights.yRed, second: weights.yGreen,
                    third: isBlueFirst ? weights.yRed : weights.yBlue, bias: weights.yBias,
                    into: output.row(y, ofPlane: 0))
            }
        }
        let u =
            isBlueFirst
            ? (weights.uBlue, weights.uGreen, weights.uRed)
            : (weights.uRed, weights.uGreen, weights.uBlue)
        let v =
            isBlueFirst
            ? (weights.vBlue, weights.vGreen, weights.vRed)
            : (weights.vRed, weights.vGreen, weights.vBlue)
        for row in 0..<chromaSize.height {
            withPixelRow(2 * row) { upper in
                withPixelRow(min(2 * row + 1, height - 1)) { lower in
                    ColorKernels.chroma(
                        ofRows: upper, lower, width: width, u: u, v: v, bias: weights.uvBias,
                        intoU: output.row(row, ofPlane: 1), intoV: output.row(row, ofPlane: 2))
                }
            }
        }
    }

    /// Converts I420 to 32-bit RGB.
    func convertYUVToRGB(_ weights: ColorTransform.ToRGB, to output: UnsafePicture) {
        let blueShift: UInt32 = output.format.hasSameLayout(as: .bgra) ? 0 : 16
        for y in 0..<size.height {
            output.withPixelRow(y) { pixels in
                ColorKernels.pixels(
                    ofLuma: row(y, ofPlane: 0), u: row(y / 2, ofPlane: 1),
                    v: row(y / 2, ofPlane: 2), width: size.width, by: weights,
                    blueShift: blueShift, into: pixels)
            }
        }
    }

    private func withPixelRow(_ y: Int, _ body: (UnsafeMutablePointer<UInt32>) -> Void) {
        row(y, ofPlane: 0).withMemoryRebound(to: UInt32.self, capacity: size.width, body)
    }

    /// Changes range and matrix of I420.
    func recolor(_ color: ColorTransform.Recoloring, to output: UnsafePicture) {
        let chroma = chromaSize
        for y in 0..<size.height {
            let (luma, result) = (row(y, ofPlane: 0), output.row(y, ofPlane: 0))
            if color.isRangeOnly {
                ColorKernels.scale(
                    row: luma, count: size.width, by: color.y, origin: 0, bias: color.yBias,
                    into: result)
            } else {
                ColorKernels.recolor(
                    luma: luma, u: row(y / 2, ofPlane: 1), v: row(y / 2, ofPlane: 2),
                    width: size.width, by: color, into: result)
            }
        }
        for y in 0..<chroma.height {
            ColorKernels.recolor(
                u: row(y, ofPlane: 1), v: row(y, ofPlane: 2), count: chroma.width, by: color,
                intoU: output.row(y, ofPlane: 1), intoV: output.row(y, ofPlane: 2))
        }
    }
}
