internal import CGreenroomKernels
internal import GreenroomMedia

/// A step of a plan, and its data for frames of one format and size.
struct PreparedStep {
    let step: ConversionPlan.Step
    /// The format and size of the step's result.
    let format: PixelFormat
    let size: FrameSize
    /// The scaler; nil for a step that does not scale.
    private let scaler: ImageScaler?
    /// Whether rows of the result depend only on a few rows of the input.
    let runsInBands: Bool

    /// - Parameters:
    ///   - input: The format of the previous step's result.
    ///   - inputSize: The size of the previous step's result.
    init(_ step: ConversionPlan.Step, of input: PixelFormat, _ inputSize: FrameSize) {
        self.step = step
        (format, size) = step.result(of: input, inputSize)
        scaler =
            if case .scale(let wanted) = step {
                ImageScaler(input, from: inputSize, to: wanted)
            } else {
                nil
            }
        runsInBands =
            switch step {
            case .convert: !input.isCompressed
            case .scale, .recolor: true
            case .crop, .copy, .rotate: false
            }
    }

    /// Makes the whole result.
    ///
    /// - Parameters:
    ///   - input: The result of the previous step.
    ///   - compressedByteCount: The length of a compressed image.
    ///   - output: An image of ``format`` and ``size``.
    func run(
        from input: UnsafeFrame, compressedByteCount: Int = 0, into output: UnsafeFrame
    ) throws(ConversionError) {
        switch step {
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

    /// Returns the rows of the input that rows of the result need, from an even row on.
    ///
    /// - Parameter rows: The rows, from an even row to an even row or the end.
    func inputRows(for rows: Range<Int>) -> Range<Int> { scaler?.inputRows(for: rows) ?? rows }

    /// Makes rows of the result of a step that ``runsInBands``.
    ///
    /// - Parameters:
    ///   - rows: The rows of the result, as for ``inputRows(for:)``.
    ///   - input: The whole input. Only the needed rows are read.
    ///   - output: The whole result.
    func run(
        _ rows: Range<Int>, from input: UnsafeFrame, into output: UnsafeFrame
    ) throws(ConversionError) {
        if let scaler { return scaler.scale(input, to: output, rows: rows) }
        try run(from: input.rows(rows), into: output.rows(rows))
    }
}

extension ConversionPlan {
    /// Returns the steps with their data for frames of a format and size.
    func preparedSteps(from format: PixelFormat, _ size: FrameSize) -> [PreparedStep] {
        var (format, size) = (format, size)
        return steps.map { step in
            let prepared = PreparedStep(step, of: format, size)
            (format, size) = (prepared.format, prepared.size)
            return prepared
        }
    }
}

extension ConversionPlan.Step {
    /// Returns the format and size of the step's result.
    fileprivate func result(
        of format: PixelFormat, _ size: FrameSize
    ) -> (PixelFormat, FrameSize) {
        switch self {
        case .crop(let rect): (format, rect.size)
        case .convert(let other, _): (other, size)
        case .copy, .recolor: (format, size)
        case .scale(let other): (format, other)
        case .rotate(let rotation): (format, size.rotated(by: rotation))
        }
    }
}

extension ConversionError {
    /// Throws an error if libyuv has failed, although the plan assumes success.
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
