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
    private var plans: [(key: PlanKey, plan: ConversionPlan)] = []
    private static let mostPlans = 32

    private struct PlanKey: Equatable {
        var format: PixelFormat
        var size: FrameSize
        var rotation: Rotation
        var color: ColorSpace
        var want: VideoWant
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
        let plan = try plan(for: frame, want)
        guard !plan.isIdentity else {
            var same = frame.share(as: plan.format)
            same.info.color = plan.color
            return same
        }
        return try make(plan, of: frame, into: pool)
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
        let plan = try plan(for: frame, want)
        guard plan.isIdentity else { return try make(plan, of: frame, into: pool) }
        var result = try take(plan, compressedByteCount: frame.byteCount(0), from: pool)
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
        _ plan: ConversionPlan, of frame: borrowing VideoFrame, into pool: FramePool
    ) throws(ConversionError) -> VideoFrame {
        var result = try take(plan, from: pool)
        result.info = frame.info
        result.info.color = plan.color
        result.info.rotation = plan.rotation
        let canvas = UnsafeFrame(result)
        canvas.fillBlack(around: plan.placement, plan.color.range)
        try run(plan.steps, on: frame, into: canvas.part(plan.placement))
        conversionCount += 1
        return result
    }

    private func take(
        _ plan: ConversionPlan, compressedByteCount: Int = 0, from pool: FramePool
    ) throws(ConversionError) -> VideoFrame {
        guard
            let frame = pool.take(
                plan.format, plan.size, compressedByteCount: compressedByteCount)
        else { throw .noBuffer(pool.explainLack(of: plan.format, plan.size)) }
        return frame
    }

    private func plan(
        for frame: borrowing VideoFrame, _ want: VideoWant
    ) throws(ConversionError) -> ConversionPlan {
        let info = frame.info
        let key = PlanKey(
            format: frame.format, size: frame.size, rotation: info.rotation, color: info.color,
            want: want)
        for known in plans where known.key == key { return known.plan }
        let plan = try ConversionPlan.plan(
            format: frame.format, size: frame.size, rotation: info.rotation, color: info.color,
            want: want)
        if plans.count == Self.mostPlans { plans.removeFirst() }
        plans.append((key, plan))
        return plan
    }

    /// Copies a compressed image from memory that another process can write: the checked bytes
    /// must be the decoded ones.
    private func privateCopy(
        of frame: borrowing VideoFrame
    ) throws(ConversionError) -> VideoFrame {
        let byteCount = frame.byteCount(0)
        guard
            var copy = scratch.take(frame.format, frame.size, compressedByteCount: byteCount)
        else { throw .noBuffer(scratch.explainLack(of: frame.format, frame.size)) }
        try copy.copyPlane(
            0, from: frame.unsafePlanePointer(0), strideBytes: 0, byteCount: byteCount)
        return copy
    }

    /// Runs the steps: the last one into the target, the others into scratch frames.
    private func run(
        _ steps: [ConversionPlan.Step], on frame: borrowing VideoFrame, into target: UnsafeFrame
    ) throws(ConversionError) {
        var picture = UnsafeFrame(frame)
        /// Keeps an intermediate image alive.
        var owner: VideoFrame?
        if frame.format.isCompressed {
            if frame.isInGivenMemory {
                let image = try privateCopy(of: frame)
                picture = UnsafeFrame(image)
                owner = consume image
            }
            let bytes = RawSpan(
                _unsafeStart: picture.planes[0], byteCount: frame.byteCount(0))
            try JPEGStructure.check(bytes, size: frame.size)
        }
        for (index, step) in steps.enumerated() {
            if case .crop(let rect) = step {
                picture = picture.part(rect)
                continue
            }
            let next: UnsafeFrame
            var nextOwner: VideoFrame?
            if index == steps.count - 1 {
                next = target
            } else {
                let (format, size) = step.result(of: picture.format, picture.size)
                guard let taken = scratch.take(format, size) else {
                    throw .noBuffer(scratch.explainLack(of: format, size))
                }
                next = UnsafeFrame(taken)
                nextOwner = consume taken
            }
            try step.run(from: picture, compressedByteCount: frame.byteCount(0), into: next)
            bytesWritten += next.byteCount
            picture = next
            owner = nextOwner.take()
        }
        _ = owner.take()
    }
}
