internal import GreenroomMedia

/// Converts frames for consumers.
///
/// Caches a plan for each frame format and want, and reuses its scratch memory: in steady state it
/// allocates nothing.
///
/// Threads: one converter for each thread.
public final class FrameConverter {
    /// Number of conversions, without identities and copies.
    public private(set) var conversionCount = 0
    /// Bytes of pixels written by conversions, intermediate steps included, and by copies.
    public private(set) var bytesWritten = 0

    /// Number of scratch memory allocations: constant in steady state.
    public var scratchAllocationCount: Int { scratch.allocationCount }

    /// A step reads one scratch frame and writes the other.
    private let scratch = FramePool(limit: 2)
    private var plans: [Prepared] = []
    private static let mostPlans = 32

    /// A plan, and what its steps need for frames of this format and size.
    private struct Prepared {
        let form: FrameForm
        let want: VideoWant
        let plan: ConversionPlan
        /// One for each step.
        var scalers: [ImageScaler?] = []

        init(_ form: FrameForm, _ want: VideoWant) throws(ConversionError) {
            self.form = form
            self.want = want
            plan = try ConversionPlan.plan(
                format: form.format, size: form.size, rotation: form.rotation, color: form.color,
                want: want)
            var (format, size) = (form.format, form.size)
            for step in plan.steps {
                scalers.append(step.scaler(of: format, size))
                (format, size) = step.result(of: format, size)
            }
        }
    }

    /// Makes a converter.
    public init() {}

    /// Converts a frame; without anything to do, returns another reference to it.
    ///
    /// - Parameters:
    ///   - frame: The frame. Its info describes its pixels, also those of a JPEG image.
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

    /// Converts a frame into a unique one: without anything to do, into a copy.
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

    private func prepared(
        for form: FrameForm, _ want: VideoWant
    ) throws(ConversionError) -> Prepared {
        for known in plans where known.form == form && known.want == want { return known }
        let new = try Prepared(form, want)
        if plans.count == Self.mostPlans { plans.removeFirst() }
        plans.append(new)
        return new
    }

    /// Copies a compressed image from memory that another process can write: the checked bytes
    /// must be the decoded ones.
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

    /// Runs the steps: the last one into the target, the others into scratch frames.
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

    /// Runs the steps from one on.
    ///
    /// - Parameter owner: What keeps an intermediate image alive. Not a variable of a loop, which the
    ///   compiler would allocate.
    private func run(
        _ prepared: Prepared, _ index: Int, of picture: UnsafeFrame,
        ownedBy owner: consuming VideoFrame?, _ compressedByteCount: Int, into target: UnsafeFrame
    ) throws(ConversionError) {
        let steps = prepared.plan.steps
        if case .crop(let rect) = steps[index] {
            return try run(
                prepared, index + 1, of: picture.part(rect), ownedBy: owner, compressedByteCount,
                into: target)
        }
        func write(to next: UnsafeFrame) throws(ConversionError) {
            try steps[index].run(
                from: picture, compressedByteCount: compressedByteCount,
                with: prepared.scalers[index], into: next)
            bytesWritten += next.byteCount
        }
        guard index < steps.count - 1 else { return try write(to: target) }
        let (format, size) = steps[index].result(of: picture.format, picture.size)
        let taken = try scratch.takeRequired(format, size)
        let next = UnsafeFrame(taken)
        try write(to: next)
        _ = consume owner
        try run(
            prepared, index + 1, of: next, ownedBy: taken, compressedByteCount, into: target)
    }
}
