internal import Glibc
public import GreenroomMedia

extension ConversionPlan {
    /// The cost of a step, and the bytes that it reads and writes.
    public struct StepCost: Sendable {
        /// The step.
        public var step: Step
        /// The format of the step's result.
        public var format: PixelFormat
        /// The size of the step's result.
        public var size: FrameSize
        /// The number of bytes of pixels that the step reads.
        public var bytesRead: Int
        /// The number of bytes of pixels that the step writes.
        public var bytesWritten: Int
        /// The cost of copying half of these bytes, which reads and writes the same number of
        /// bytes, in nanoseconds of the thread's processor time. No step without calculation could
        /// be faster.
        public var copyNanoseconds: Int64
        /// The cost of the step, in nanoseconds of the thread's processor time.
        public var nanoseconds: Int64
    }

    /// Runs each step of the plan repeatedly and measures the median cost.
    ///
    /// - Parameters:
    ///   - format: The format of the frames for which the plan was made; not compressed.
    ///   - size: The size of the frames.
    ///   - repetitions: The number of runs of each step; at least 1.
    /// - Returns: The costs, in the order of ``steps``. A crop costs nothing.
    /// - Throws: ``ConversionError/Code/unsupported`` for a compressed format;
    ///   ``ConversionError/Code/noBuffer`` without memory for the frames.
    public func measure(
        from format: PixelFormat, _ size: FrameSize, repetitions: Int
    ) throws(ConversionError) -> [StepCost] {
        guard !format.isCompressed else {
            throw .unsupported(
                "the cost of \(format.name) frames depends on their content: measure a raw format")
        }
        let pool = FramePool(limit: steps.count + 2)
        let source = try pool.takeRequired(format, size)
        let target = try pool.takeRequired(format, size)
        let (input, copy) = (UnsafeFrame(source), UnsafeFrame(target))
        let copying = try Self.median(of: repetitions) { () throws(ConversionError) in
            input.copy(to: copy)
        }
        let bytesCopied = Double(2 * format.packedByteCount(of: size))
        let prepared = preparedSteps(from: format, size)
        var costs: [StepCost] = []
        func add(
            from index: Int, of picture: UnsafeFrame, ownedBy owner: consuming VideoFrame
        ) throws(ConversionError) {
            guard index < prepared.count else { return }
            let step = prepared[index]
            let (format, size) = (step.format, step.size)
            if case .crop(let rect) = step.step {
                costs.append(
                    StepCost(
                        step: step.step, format: format, size: size, bytesRead: 0, bytesWritten: 0,
                        copyNanoseconds: 0, nanoseconds: 0))
                return try add(from: index + 1, of: picture.part(rect), ownedBy: owner)
            }
            let result = try pool.takeRequired(format, size)
            let output = UnsafeFrame(result)
            let cost = try Self.median(of: repetitions) { () throws(ConversionError) in
                try step.run(from: picture, into: output)
            }
            let bytes = (picture.byteCount, output.byteCount)
            costs.append(
                StepCost(
                    step: step.step, format: format, size: size, bytesRead: bytes.0,
                    bytesWritten: bytes.1,
                    copyNanoseconds: Int64(
                        Double(copying) * Double(bytes.0 + bytes.1) / bytesCopied),
                    nanoseconds: cost))
            _ = consume owner
            try add(from: index + 1, of: output, ownedBy: result)
        }
        try add(from: 0, of: input, ownedBy: source)
        _ = consume target
        return costs
    }

    /// Returns the median processor time of the thread for a piece of work. The work runs once
    /// before, so that caches are as in a session.
    fileprivate static func median(
        of repetitions: Int, _ work: () throws(ConversionError) -> Void
    ) throws(ConversionError) -> Int64 {
        try work()
        var times: [Int64] = []
        for _ in 0..<max(1, repetitions) {
            let begin = threadNanoseconds
            try work()
            times.append(threadNanoseconds - begin)
        }
        return times.sorted()[times.count / 2]
    }

    private static var threadNanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension FrameConverter {
    /// Converts a frame repeatedly and measures the median time, in nanoseconds of the thread's
    /// processor time.
    ///
    /// - Parameters:
    ///   - format: The format of the frame; not compressed.
    ///   - size: The size of the frame.
    ///   - color: The colour space of the frame.
    ///   - want: The want for the result.
    ///   - repetitions: The number of conversions; at least 1.
    /// - Returns: The time, and the number of rows of the result made at a time; nil rows if no
    ///   steps run in bands.
    /// - Throws: The errors of ``convert(_:to:into:)``.
    public func measure(
        from format: PixelFormat, _ size: FrameSize, _ color: ColorSpace, to want: VideoWant,
        repetitions: Int
    ) throws(ConversionError) -> (nanoseconds: Int64, bandRows: Int?) {
        let pool = FramePool(limit: 2)
        var source = try pool.takeRequired(format, size)
        source.info.color = color
        let frame = source
        let nanoseconds = try ConversionPlan.median(of: repetitions) {
            () throws(ConversionError) in
            _ = try convert(frame, to: want, into: pool)
        }
        return (nanoseconds, try bandRows(for: frame, want))
    }
}

extension ConversionPlan.Step: CustomStringConvertible {
    /// The step in words.
    public var description: String {
        switch self {
        case .crop(let rect): "crop to \(rect.size) at \(rect.x),\(rect.y)"
        case .convert(let format, let color): "convert to \(format.name) by \(color.words)"
        case .copy: "copy"
        case .scale(let size): "scale to \(size)"
        case .rotate(let rotation): "rotate by \(rotation.rawValue)°"
        case .recolor(let from, let to): "recolour \(from.words) to \(to.words)"
        }
    }
}

extension ColorSpace {
    fileprivate var words: String { "\(matrix.name) \(range.name)" }
}
