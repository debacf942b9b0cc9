internal import GreenroomMedia

/// Runs ``ColorKernels`` over the rows of images.
extension UnsafeFrame {
    /// Converts 32-bit RGB to I420.
    func convertRGBToYUV(_ color: ColorTransform.FromRGB, to output: UnsafeFrame) {
        let isBlueFirst = format.hasSameLayout(as: .bgra)
        func weights(
            _ red: ColorTransform.Weight, _ green: ColorTransform.Weight,
            _ blue: ColorTransform.Weight, _ bias: Int16
        ) -> ColorKernels.ByteWeights {
            ColorKernels.ByteWeights(
                first: isBlueFirst ? blue : red, second: green, third: isBlueFirst ? red : blue,
                bias: bias)
        }
        let y = weights(color.yRed, color.yGreen, color.yBlue, color.yBias)
        let u = weights(color.uRed, color.uGreen, color.uBlue, color.uvBias)
        let v = weights(color.vRed, color.vGreen, color.vBlue, color.uvBias)
        for row in 0..<chromaSize.height {
            let (top, bottom) = (2 * row, min(2 * row + 1, size.height - 1))
            withPixelRow(top) { upper in
                withPixelRow(bottom) { lower in
                    ColorKernels.luma(
                        ofRow: upper, width: size.width, y, into: output.row(top, ofPlane: 0))
                    ColorKernels.luma(
                        ofRow: lower, width: size.width, y, into: output.row(bottom, ofPlane: 0))
                    ColorKernels.chroma(
                        ofRows: upper, lower, width: size.width, u: u, v: v,
                        intoU: output.row(row, ofPlane: 1), intoV: output.row(row, ofPlane: 2))
                }
            }
        }
    }

    /// Converts I420 to 32-bit RGB.
    func convertYUVToRGB(_ color: ColorTransform.ToRGB, to output: UnsafeFrame) {
        let blueShift: UInt32 = output.format.hasSameLayout(as: .bgra) ? 0 : 16
        for y in 0..<size.height {
            output.withPixelRow(y) { pixels in
                ColorKernels.pixels(
                    ofLuma: row(y, ofPlane: 0), u: row(y / 2, ofPlane: 1),
                    v: row(y / 2, ofPlane: 2), width: size.width, color, blueShift: blueShift,
                    into: pixels)
            }
        }
    }

    /// Changes range and matrix of I420.
    func recolor(_ color: ColorTransform.Recoloring, to output: UnsafeFrame) {
        for y in 0..<size.height {
            let (luma, result) = (row(y, ofPlane: 0), output.row(y, ofPlane: 0))
            if color.keepsMatrix {
                ColorKernels.recolor(luma: luma, width: size.width, color, into: result)
            } else {
                ColorKernels.recolor(
                    luma: luma, u: row(y / 2, ofPlane: 1), v: row(y / 2, ofPlane: 2),
                    width: size.width, color, into: result)
            }
        }
        for y in 0..<chromaSize.height {
            ColorKernels.recolor(
                u: row(y, ofPlane: 1), v: row(y, ofPlane: 2), count: chromaSize.width, color,
                intoU: output.row(y, ofPlane: 1), intoV: output.row(y, ofPlane: 2))
        }
    }

    private func withPixelRow(_ y: Int, _ body: (UnsafeMutablePointer<UInt32>) -> Void) {
        row(y, ofPlane: 0).withMemoryRebound(to: UInt32.self, capacity: size.width, body)
    }
}
