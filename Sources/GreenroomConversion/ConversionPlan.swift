public import GreenroomMedia

/// The plan of a frame's conversion for a consumer: a pure value, computed once for each frame
/// format and want.
///
/// ## Order
///
/// Each step runs where the image has the fewest pixels. YUV is processed as I420, for which libyuv
/// has the fastest kernels:
///
/// 1. Crop, which costs nothing.
/// 2. Unpack everything but I420 and 32-bit RGB, and convert RGB to YUV, which has fewer bytes.
/// 3. To shrink: scale, rotate, convert colours. To enlarge: convert colours, rotate, scale.
/// Convert YUV to RGB last.
/// 4. The last step writes into the result, inside the bars of a letterbox.
///
/// ## Filters
///
/// One pass of ``PolyphaseFilter`` scales by any ratio. A side that shrinks to an eighth or less is
/// halved first.
public struct ConversionPlan: Equatable, Sendable {
    /// A pass over the pixels. ``crop(_:)`` needs no pass.
    public enum Step: Equatable, Sendable {
        /// Continues with a part of the image.
        case crop(PixelRect)
        /// Converts to another format. The YUV side has the colour space.
        case convert(PixelFormat, ColorSpace)
        /// Copies the pixels unchanged.
        case copy
        /// Scales to a size.
        case scale(FrameSize)
        /// Rotates clockwise.
        case rotate(Rotation)
        /// Converts the values of an I420 image to another colour space.
        case recolor(from: ColorSpace, to: ColorSpace)
    }

    /// The passes in order; empty if the frame matches the want.
    public private(set) var steps: [Step] = []
    /// The result's format.
    public let format: PixelFormat
    /// The result's size.
    public let size: FrameSize
    /// The image's position in the result. The area around it is black.
    public let placement: PixelRect
    /// The result's colour space; always full range for RGB.
    public let color: ColorSpace
    /// The rotation that the result still needs.
    public let rotation: Rotation

    /// Whether the frame matches the want, so that no byte is copied.
    public var isIdentity: Bool { steps.isEmpty }

    /// Plans a conversion.
    ///
    /// - Parameters:
    ///   - format: The layout of the frame's pixels.
    ///   - size: The frame's size, before its rotation; legal.
    ///   - rotation: The frame's rotation.
    ///   - color: The frame's colour space. For an RGB frame only the matrix matters.
    ///   - want: The consumer's want.
    /// - Throws: ``ConversionError/Code/rejected`` for a different size under ``Fit/reject``;
    ///   ``ConversionError/Code/unsupported`` for a format that cannot be made;
    ///   ``ConversionError/Code/badGeometry`` for an illegal size.
    public static func plan(
        format: PixelFormat, size: FrameSize, rotation: Rotation, color: ColorSpace,
        want: VideoWant
    ) throws(ConversionError) -> ConversionPlan {
        try ConversionPlan(format, size, rotation, color, want)
    }

    private init(
        _ inputFormat: PixelFormat, _ inputSize: FrameSize, _ inputRotation: Rotation,
        _ inputColor: ColorSpace, _ want: VideoWant
    ) throws(ConversionError) {
        let turn = want.acceptsRotation ? Rotation.none : inputRotation
        let geometry = try Geometry(of: inputSize, turnedBy: turn, for: want)
        let matrix = want.matrix ?? inputColor.matrix
        let ownRange: ColorRange = inputFormat.isRGB ? .limited : inputColor.range

        format = want.format
        size = geometry.canvas
        placement = geometry.placement
        rotation = want.acceptsRotation ? inputRotation : .none
        color = ColorSpace(
            range: want.format.isRGB ? .full : want.range ?? ownRange, matrix: matrix)

        let recolors = !inputFormat.isRGB && !format.isRGB && color != inputColor
        guard
            geometry.changesPixels || turn != .none || recolors
                || !inputFormat.hasSameLayout(as: format)
        else { return }
        guard format.canBeMade else {
            throw .unsupported(
                "cannot convert \(inputFormat.name) frames to \(format.name), which only "
                    + "passes unchanged: want i420, nv12, bgra or rgba")
        }

        var builder = StepBuilder(
            format: inputFormat, geometry, turn: turn, from: inputColor, to: color)
        if inputFormat.isRGB {
            builder.addStepsFromRGB(to: format)
        } else {
            builder.addStepsFromYUV(to: format)
        }
        steps = builder.steps
    }
}

extension PixelFormat {
    /// Whether both formats have the same bytes, except ignored bytes.
    func hasSameLayout(as other: PixelFormat) -> Bool {
        func canonical(_ format: PixelFormat) -> PixelFormat {
            switch format {
            case .bgrx: .bgra
            case .rgbx: .rgba
            default: format
            }
        }
        return canonical(self) == canonical(other)
    }
}
