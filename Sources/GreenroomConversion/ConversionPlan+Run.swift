internal import CLibYUV
internal import GreenroomMedia

extension ConversionPlan.Step {
    /// The format and size of the step's result.
    func result(of format: PixelFormat, _ size: FrameSize) -> (PixelFormat, FrameSize) {
        switch self {
        case .crop(let rect): (format, rect.size)
        case .convert(let other, _): (other, size)
        case .copy, .recolor: (format, size)
        case .scale(let other, _): (format, other)
        case .rotate(let rotation): (format, size.rotated(by: rotation))
        }
    }

    /// Runs the step.
    ///
    /// - Parameters:
    ///   - input: The result of the step before.
    ///   - compressedByteCount: The length of a compressed image.
    ///   - output: An image of the format and size from ``result(of:_:)``.
    func run(
        from input: UnsafeFrame, compressedByteCount: Int, into output: UnsafeFrame
    ) throws(ConversionError) {
        switch self {
        case .crop:
            break
        case .copy:
            input.copy(to: output)
        case .scale(_, let filter):
            try input.scale(to: output, filter)
        case .rotate(let rotation):
            try input.rotate(rotation, to: output)
        case .recolor(let from, let to):
            input.recolor(ColorTransform.Recoloring(from: from, to: to), to: output)
        case .convert where input.format.isCompressed:
            try input.decode(byteCount: compressedByteCount, to: output)
        case .convert(_, let color):
            if input.format.isRGB, !output.format.isRGB {
                try input.convertRGBToYUV(color, to: output)
            } else if input.format.isRGB {
                try input.convertRGBToRGB(to: output)
            } else if output.format.isRGB {
                try input.convertYUVToRGB(color, to: output)
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
