package import GreenroomMedia

/// Converts RGB to YUV by the standards' formulas, in floating point. This suits images that are
/// converted once, but not frames.
package struct YUVConversion: Sendable {
    private let red: Double
    private let blue: Double
    private let lumaOffset: Double
    private let lumaSpan: Double
    private let chromaSpan: Double

    /// - Parameter color: The colour space of the result.
    package init(to color: ColorSpace) {
        (red, blue) =
            switch color.matrix {
            case .bt601: (0.299, 0.114)
            case .bt709: (0.2126, 0.0722)
            }
        (lumaOffset, lumaSpan, chromaSpan) =
            switch color.range {
            case .limited: (16, 219, 224)
            case .full: (0, 255, 255)
            }
    }

    /// Returns Y, U and V, without rounding, of a colour with components from 0 to 255.
    package func convert(red r: Double, green g: Double, blue b: Double) -> (
        y: Double, u: Double, v: Double
    ) {
        let (r, g, b) = (r / 255, g / 255, b / 255)
        let y = red * r + (1 - red - blue) * g + blue * b
        return (
            lumaOffset + lumaSpan * y,
            128 + chromaSpan * (b - y) / (2 * (1 - blue)),
            128 + chromaSpan * (r - y) / (2 * (1 - red))
        )
    }
}
