package import GreenroomMedia

/// Converts frames for consumers.
///
/// Caches a plan for each frame format and want, and reuses its scratch memory. In steady state the
/// converter does not allocate memory.
///
/// Threads: one converter for each thread.
public final class FrameConverter {
    /// The number of conversions, without identities and copies.
    public private(set) var conversionCount = 0
    /// The number of bytes of pixels written by conversions and copies, including intermediate
    /// steps and rows that are written twice.
    public private(set) var bytesWritten = 0

    /// The number of scratch memory allocations, which is constant in steady state.
    public var scratchAllocationCount: Int { scratch.allocationCount + bandScratch.allocationCount }

    /// The scratch frames. A step reads one frame and writes the other.
    private let scratch = FramePool(limit: 2)
    /// The scratch frames for bands, one for each step.
    private let bandScratch = FramePool(limit: ConversionBands.mostSteps - 1)
    private var plans: [Prepared] = []
    private static let mostPlans = 32
    private let bandByteCount: Int

    /// A plan, and the data of its steps for frames of this format and size.
    private struct Prepared {
        let form: FrameForm
        let want: VideoWant
        let plan: ConversionPlan
        let steps: [PreparedStep]
        let bands: ConversionBands?

        init(
            _ form: FrameForm, _ want: VideoWant, bandByteCount: Int
        ) throws(ConversionError) {
            self.form = form
            self.want = want
            plan = try ConversionPlan.plan(
                format: form.format, size: form.size, rotation: form.rotation, color: form.color,
                want: want)
            steps = plan.preparedSteps(from: form.format, form.size)
            bands = ConversionBands(steps, byteCount: bandByteCount)
        }
    }

    /// Makes a converter.
    public convenience init() { self.init(bandByteCount: Self.ordinaryBandByteCount) }

    /// - Parameter bandByteCount: The number of bytes of steps' results in memory at once, if steps
    ///   can run in bands of rows; ``Int/max`` runs each step on whole images.
    package init(bandByteCount: Int) { self.bandByteCount = bandByteCount }

    /// The part of most processors' second-level caches that is free for bands.
    private static let ordinaryBandByteCount = 256 << 10

    /// Converts a frame. If no conversion is needed, returns another reference to the frame.
    ///
    /// - Parameters:
    ///   - frame: The frame. Its info describes its pixels, including the pixels of a JPEG image.
    ///   - want: The consumer's want.
    ///   - pool: The pool of the result.
    /// - Returns: The converted frame with updated info; timestamp and revision are copied. Alpha
    ///   and padding bytes of RGB formats are undefined.
    /// - Throws: The errors of ``ConversionPlan/plan(format:size:rotation:color:want:)``;
    ///   ``ConversionError/Code/badData`` for a JPEG image that does not decode;
    ///   ``ConversionError/Code/noBuffer`` if the pool has no free frame.
    public func convert(
        _ frame: borrowing VideoFrame, to want: VideoWant, into pool: FramePool
    ) throws(ConversionError) -> VideoFrame {
        let prepared = try prepared(for: FrameForm(frame), want)
        guard !prepared.plan.isIdentity else {
            var same = frame.share(as: prepared.plan.format)
            same.info.color = prepared.plan.color
            return same
        }
        return try make(prepared, of: frame, into: pool)
    }

    /// Converts a frame into a unique frame. If no conversion is needed, makes a copy.
    ///
    /// - Parameters:
    ///   - frame: The frame, as for ``convert(_:to:into:)``.
    ///   - want: The consumer's want.
    ///   - pool: The pool of the result.
    /// - Returns: The result of ``convert(_:to:into:)``, as a unique reference.
    /// - Throws: The errors of ``convert(_:to:into:)``.
    public func copy(
        _ frame: borrowing VideoFrame, to want: VideoWant, into pool: FramePool
    ) throws(ConversionError) -> VideoFrame {
        let prepared = try prepared(for: FrameForm(frame), want)
        let plan = prepared.plan
        guard plan.isIdentity else { return try make(prepared, of: frame, into: pool) }
        var result = try pool.takeRequired(
            plan.format, plan.size, compressedByteCount: frame.byteCount(0))
        result.info = frame.info
        result.info.color = plan.color
        for index in 0..<frame.planeCount {
            try result.copyPlane(
                index, from: frame.unsafePlanePointer(index), strideBytes: frame.strideBytes(index),
                byteCount: frame.byteCount(index))
            bytesWritten += frame.byteCount(index)
        }
        return result
    }

    /// Returns a frame's colour space for a consumer if the frame needs no conversion; nil if it
    /// does.
    ///
    /// - Throws: The errors of ``ConversionPlan/plan(format:size:rotation:color:want:)``.
    package func colorUnconverted(
        _ frame: borrowing VideoFrame, for want: VideoWant
    ) throws(ConversionError) -> ColorSpace? {
        let plan = try prepared(for: FrameForm(frame), want).plan
        return plan.isIdentity ? plan.color : nil
    }

    private func make(
        _ prepared: Prepared, of frame: borrowing VideoFrame, into pool: FramePool
    ) throws(ConversionError) -> VideoFrame {
        let plan = prepared.plan
        var result = try pool.takeRequired(plan.format, plan.size)
        result.info = frame.info
        result.info.color = plan.color
        result.info.rotation = plan.rotation
        let canvas = UnsafeFrame(result)
        canvas.fillBlack(around: plan.placement, plan.color.range)
        try run(prepared, on: frame, into: canvas.part(plan.placement))
        conversionCount += 1
        return result
    }

    /// Returns the number of rows of the result made at a time; nil if each step runs on the whole
    /// image.
    func bandRows(
        for frame: borrowing VideoFrame, _ want: VideoWant
    ) throws(ConversionError) -> Int? {
        try prepared(for: FrameForm(frame), want).bands?.rows
    }

    private func prepared(
        for form: FrameForm, _ want: VideoWant
    ) throws(ConversionError) -> Prepared {
        for known in plans where known.form == form && known.want == want { return known }
        let new = try Prepared(form, want, bandByteCount: bandByteCount)
        if plans.count == Self.mostPlans { plans.removeFirst() }
        plans.append(new)
        return new
    }

    /// Copies a compressed image from memory that another process can write, because the checked
    /// bytes must be the decoded bytes.
    private func privateCopy(
        of frame: borrowing VideoFrame
    ) throws(ConversionError) -> VideoFrame {
        let byteCount = frame.byteCount(0)
        var copy = try scratch.takeRequired(
            frame.format, frame.size, compressedByteCount: byteCount)
        try copy.copyPlane(
            0, from: frame.unsafePlanePointer(0), strideBytes: 0, byteCount: byteCount)
        return copy
    }

    /// Runs the steps. The last step writes into the target, and all other steps write into scratch
    /// frames.
    private func run(
        _ prepared: Prepared, on frame: borrowing VideoFrame, into target: UnsafeFrame
    ) throws(ConversionError) {
        let byteCount = frame.byteCount(0)
        guard frame.format.isCompressed else {
            return try run(
                prepared, 0, of: UnsafeFrame(frame), ownedBy: nil, byteCount, into: target)
        }
        guard frame.isInGivenMemory else {
            return try runOnImage(prepared, frame.share(), byteCount, into: target)
        }
        try runOnImage(prepared, privateCopy(of: frame), byteCount, into: target)
    }

    /// Checks a compressed image, and runs the steps.
    private func runOnImage(
        _ prepared: Prepared, _ image: consuming VideoFrame, _ byteCount: Int,
        into target: UnsafeFrame
    ) throws(ConversionError) {
        let picture = UnsafeFrame(image)
        let bytes = RawSpan(_unsafeStart: picture.planes[0], byteCount: byteCount)
        try JPEGStructure.check(bytes, size: picture.size)
        try run(prepared, 0, of: picture, ownedBy: image, byteCount, into: target)
    }

    /// Runs the steps from an index on.
    ///
    /// - Parameter owner: The owner of an intermediate image, which keeps the image alive. A
    ///   variable of a loop would be allocated by the compiler.
    private func run(
        _ prepared: Prepared, _ index: Int, of picture: UnsafeFrame,
        ownedBy owner: consuming VideoFrame?, _ compressedByteCount: Int, into target: UnsafeFrame
    ) throws(ConversionError) {
        let steps = prepared.steps
        if case .crop(let rect) = steps[index].step {
            return try run(
                prepared, index + 1, of: picture.part(rect), ownedBy: owner, compressedByteCount,
                into: target)
        }
        let bands = prepared.bands.flatMap { $0.steps.lowerBound == index ? $0 : nil }
        func write(to next: UnsafeFrame) throws(ConversionError) {
            if let bands { return try run(bands, of: prepared, on: picture, into: next) }
            try steps[index].run(
                from: picture, compressedByteCount: compressedByteCount, into: next)
            bytesWritten += next.byteCount
        }
        let end = bands?.steps.upperBound ?? index + 1
        guard end < steps.count else { return try write(to: target) }
        let taken = try scratch.takeRequired(steps[end - 1].format, steps[end - 1].size)
        let next = UnsafeFrame(taken)
        try write(to: next)
        _ = consume owner
        try run(prepared, end, of: next, ownedBy: taken, compressedByteCount, into: target)
    }

    // MARK: Bands

    /// Runs steps together, band by band.
    private func run(
        _ bands: ConversionBands, of prepared: Prepared, on picture: UnsafeFrame,
        into target: UnsafeFrame
    ) throws(ConversionError) {
        var start = 0
        while start < target.size.height {
            let end = min(start + bands.rows, target.size.height)
            try make(
                start..<end, ofStep: bands.steps.upperBound - 1, in: bands, of: prepared,
                on: picture, into: target)
            start = end
        }
    }

    /// Makes rows of a step's result, after the rows of the earlier steps that they need.
    private func make(
        _ rows: Range<Int>, ofStep index: Int, in bands: ConversionBands, of prepared: Prepared,
        on picture: UnsafeFrame, into output: UnsafeFrame
    ) throws(ConversionError) {
        let step = prepared.steps[index]
        bytesWritten += step.format.packedByteCount(
            of: FrameSize(width: step.size.width, height: rows.count))
        guard index > bands.steps.lowerBound else {
            return try step.run(rows, from: picture, into: output)
        }
        let before = prepared.steps[index - 1]
        let taken = try bandScratch.takeRequired(
            before.format,
            FrameSize(width: before.size.width, height: bands.mostRows(ofStep: index - 1)))
        let needed = step.inputRows(for: rows)
        let input = UnsafeFrame(taken).asRows(from: needed.lowerBound, of: before.size)
        try make(needed, ofStep: index - 1, in: bands, of: prepared, on: picture, into: input)
        try step.run(rows, from: input, into: output)
        _ = consume taken
    }
}
