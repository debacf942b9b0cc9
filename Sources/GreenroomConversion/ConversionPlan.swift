public import GreenroomMedia

/// How to make what a consumer wants out of a frame: a pure value, decided once for each kind
/// of frame and want.
///
/// ## Order
///
/// Work is done where there are fewest pixels, and YUV is worked on as I420, for which libyuv
/// has the fastest kernels:
///
/// 1. The part of the picture that a crop leaves is chosen first; that costs nothing.
/// 2. Everything that is not I420 or 32-bit RGB is unpacked.
/// 3. When the picture shrinks: scale, turn, convert colours. When it grows: convert colours,
///    turn, scale. From YUV to RGB always last, since RGB has more bytes to move; from RGB to
///    YUV before turning, for the same reason.
/// 4. The last step writes into the frame that is handed out, between the bars of a letterbox.
///
/// ## Filters
///
/// A picture that shrinks to half or less is halved first, by averaging, as often as it goes:
/// libyuv has fast kernels for exactly that. The rest is bilinear. Against one box filter over
/// everything this costs half (1920x1080 to 858x480, to 352x240), and stays right where libyuv's
/// box filter darkens because its weights are 16 bits (by a fifth at 130 to 1).
public struct ConversionPlan: Equatable, Sendable {
    /// One pass over the pixels, or for ``crop(_:)`` none.
    public enum Step: Equatable, Sendable {
        /// Goes on with a part of the picture.
        case crop(PixelRect)
        /// Converts to another format.
        ///
        /// The colour space is that of the YUV side of the conversion.
        case convert(PixelFormat, ColorSpace)
        /// Copies the pixels as they are.
        case copy
        /// Scales to a size.
        case scale(FrameSize, ScaleFilter)
        /// Turns clockwise.
        case rotate(Rotation)
        /// Changes what the values of an I420 picture mean, and the values with it.
        case recolor(from: ColorSpace, to: ColorSpace)
    }

    /// How pixels are weighed when a picture is scaled.
    public enum ScaleFilter: Hashable, Sendable {
        /// The mean of all pixels that fall into one.
        case box
        /// The four nearest pixels by their distance.
        case bilinear
    }

    /// The passes in order; none where the frame is already what is wanted.
    public private(set) var steps: [Step] = []
    /// The format that comes out.
    public let format: PixelFormat
    /// The size that comes out.
    public let size: FrameSize
    /// Where in the result the picture lies; around it is black.
    public let placement: PixelRect
    /// What the values that come out mean; always full range for RGB.
    public let color: ColorSpace
    /// How far the result still has to be turned.
    public let rotation: Rotation

    /// Whether the frame is already what is wanted, so that not a byte has to move.
    public var isIdentity: Bool { steps.isEmpty }

    /// Plans a conversion.
    ///
    /// - Parameters:
    ///   - format: The layout of the frame's pixels.
    ///   - size: The frame's size, before its rotation; legal.
    ///   - rotation: How far the frame has to be turned.
    ///   - color: What the frame's values mean. Of an RGB frame the matrix alone matters.
    ///   - want: What the consumer takes.
    /// - Throws: ``ConversionError/Code/rejected`` for another size than the wanted one under
    ///   ``Fit/reject``; ``ConversionError/Code/unsupported`` for a wanted format that cannot
    ///   be made; ``ConversionError/Code/badGeometry`` for a size that is not legal.
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
                "\(inputFormat.name) frames cannot be converted to \(format.name), which passes "
                    + "only unchanged: want i420, nv12, bgra or rgba")
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
    /// Whether the bytes of both are the same where they matter.
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

    /// Whether conversions can end in it.
    fileprivate var canBeMade: Bool {
        switch self {
        case .i420, .nv12, .nv21, .yuy2, .uyvy, .bgra, .rgba, .bgrx, .rgbx, .rgb24: true
        case .mjpeg, .i010, .p010: false
        }
    }
}
