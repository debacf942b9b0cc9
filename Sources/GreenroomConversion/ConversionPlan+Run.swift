internal import CGreenroomKernels
internal import GreenroomMedia

extension ConversionPlan.Step {
    /// The format and size of the step's result.
    func result(of format: PixelFormat, _ size: FrameSize) -> (PixelFormat, FrameSize) {
        switch self {
        case .crop(let rect): (format, rect.size)
        case .convert(let other, _): (other, size)
        case .copy, .recolor: (format, size)
        case .scale(let other): (format, other)
        case .rotate(let rotation): (format, size.rotated(by: rotation))
        }
    }

    /// The filters of the step, if it scales an image of this format and size.
    func scaler(of format: PixelFormat, _ size: FrameSize) -> ImageScaler? {
        guard case .scale(let wanted) = self else { return nil }
        return ImageScaler(format, from: size, to: wanted)
    }

    /// Runs the step.
    ///
    /// - Parameters:
    ///   - input: The result of the step before.
    ///   - compressedByteCount: The length of a compressed image.
    ///   - scaler: What ``scaler(of:_:)`` made.
    ///   - output: An image of the format and size from ``result(of:_:)``.
    func run(
        from input: UnsafeFrame, compressedByteCount: Int, with scaler: ImageScaler?,
        into output: UnsafeFrame
    ) throws(ConversionError) {
        switch self {
        case .crop:
            break
        case .copy:
            input.copy(to: output)
        case .scale:
            scaler?.scale(input, to: output, rows: 0..<output.size.height)
        case .rotate(let rotation):
            try input.rotate(rotation, to: output)
        case .recolor(let from, let to):
            input.recolor(greenroom_recolor(from: from, to: to), to: output)
        case .convert where input.format.isCompressed:
            try input.decode(byteCount: compressedByteCount, to: output)
        case .convert(_, let color):
            if input.format.isRGB, !output.format.isRGB {
                try input.convertRGBToYUV(color, to: output)
            } else if input.format.isRGB {
                try input.convertRGBToRGB(to: output)
            } else if output.format.isRGB {
                input.convertYUVToRGB(greenroom_to_rgb(from: color), to: output)
            } else {
                try input.convertYUVToYUV(to: output)
            }
        }
    }
}

extension ConversionError {
    /// Throws if libyuv could not do what the plan assumes.
    static func check(
        _ result: Int32, _ input: UnsafeFrame, _ output: UnsafeFrame
    ) throws(ConversionError) {
        guard result == 0 else {
            throw .unsupported(
                "libyuv does not convert \(input.format.name) \(input.size) to "
                    + "\(output.format.name) \(output.size)")
        }
    }
}
