internal import CGreenroomKernels
public import GreenroomMedia

/// Brightness, contrast and saturation as lookup tables.
public struct ToneCurves: Sendable {
    /// The parameters of the curves.
    public struct Adjustment: Equatable, Sendable {
        /// Added, relative to the range from black to white: −1 to 1, 0 for no change.
        public var brightness: Double
        /// Factor of the distance from mid grey, for luma and chroma: 0 to 2, 1 for no change.
        public var contrast: Double
        /// Factor of the distance from grey: 0 for none, 1 for no change, 2 for double.
        public var saturation: Double

        /// Makes an adjustment.
        public init(brightness: Double = 0, contrast: Double = 1, saturation: Double = 1) {
            self.brightness = brightness
            self.contrast = contrast
            self.saturation = saturation
        }
    }

    /// New samples by old ones, 256 each.
    private let luma: [UInt8]
    private let chroma: [UInt8]

    /// Whether luma stays bit-identical.
    public let keepsLuma: Bool
    /// Whether chroma stays bit-identical.
    public let keepsChroma: Bool

    /// Makes the tables.
    ///
    /// A table with any change clips at black and white, and at the bounds of chroma; one without
    /// changes also keeps samples outside them.
    public init(_ adjustment: Adjustment, range: ColorRange) {
        let (lumaBounds, chromaBounds) =
            switch range {
            case .limited: (16.0...235.0, 16.0...240.0)
            case .full: (0.0...255.0, 0.0...255.0)
            }
        let span = lumaBounds.upperBound - lumaBounds.lowerBound
        let grey = lumaBounds.lowerBound + span / 2
        let chromaFactor = adjustment.contrast * adjustment.saturation
        keepsLuma = adjustment.brightness == 0 && adjustment.contrast == 1
        keepsChroma = chromaFactor == 1

        func sample(_ value: Double, _ bounds: ClosedRange<Double>) -> UInt8 {
            UInt8(min(max(value, bounds.lowerBound), bounds.upperBound).rounded())
        }
        luma = (0..<256).map { old in
            let contrasted = grey + (Double(old) - grey) * adjustment.contrast
            return sample(contrasted + adjustment.brightness * span, lumaBounds)
        }
        chroma = (0..<256).map { old in
            sample(128 + (Double(old) - 128) * chromaFactor, chromaBounds)
        }
    }

    /// Applies the table to a row of luma.
    public func applyLuma(to row: inout MutableSpan<UInt8>) { Self.apply(luma.span, to: &row) }

    /// Applies the table to a row of U or V.
    public func applyChroma(to row: inout MutableSpan<UInt8>) { Self.apply(chroma.span, to: &row) }

    private static func apply(_ table: Span<UInt8>, to row: inout MutableSpan<UInt8>) {
        let replace = greenroom_best_kernels().pointee.replace
        row.withUnsafeMutableBufferPointer { row in
            table.withUnsafeBufferPointer { table in
                guard let first = row.baseAddress, let table = table.baseAddress else { return }
                replace(first, Int32(clamping: row.count), table)
            }
        }
    }
}
