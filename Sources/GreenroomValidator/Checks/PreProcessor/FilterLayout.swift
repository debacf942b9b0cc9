import GreenroomMedia

extension Catalogue {
    /// The result does not depend on the memory layout.
    static let filterLayout = Check(
        "pre-processor.layout", "the result does not depend on memory layout",
        of: .filters,
        rule: "The result does not depend on the memory layout.",
        why: "The host chooses the stride and the padding.",
        measured: """
            Three instances edit the same frames; the second, with other addresses, longer \
            strides and other padding, must have the same result. If the first and third \
            differ, that is a warning.
            """,
        fix: "Step by stride_bytes, and read only the visible bytes."
    ) { examination throws(Verdict) in
        for row in [(640, 360), (641, 361), (127, 95)] {
            let row = VideoCapability(width: row.0, height: row.1, fps: 30)
            let first = try examination.results(at: row, extraStride: 0, padding: 0x33)
            let second = try examination.results(at: row, extraStride: 192, padding: 0xCC)
            let third = try examination.results(at: row, extraStride: 0, padding: 0x33)
            guard let first, let second, let third else {
                throw .hindered(by: "pre-processor.sizes", "does not edit \(row.size)")
            }
            guard first == third else {
                throw .warning(
                    "two instances edit the same frames differently at \(row.size): "
                        + "the layout's effect is unknown")
            }
            guard first == second else {
                let number = zip(first, second).prefix { $0 == $1 }.count
                throw .failed(
                    "at \(row.size) frame \(number + 1) is edited differently when its rows are "
                        + "farther apart: step from row to row by stride_bytes, stop at width, and "
                        + "read no padding")
            }
        }
        return .passed()
    }
}

extension Examination {
    /// The edited frames; nil if the size is not edited.
    fileprivate func results(
        at row: VideoCapability, extraStride: Int, padding: UInt8
    ) throws(Verdict) -> [UInt64]? {
        let stage = FilterStage(self)
        let watch = watch(extraStrideBytes: extraStride, isClosed: true)
        guard let life = try stage.begin(row, guarded: watch) else { return nil }
        life.padding = padding
        var results: [UInt64] = []
        for content in FilterFrame.Content.allCases {
            let edit = try life.editKeepingToPlanes(FilterFrame(content, random(5)))
            guard edit.status == .ok else { return nil }
            results.append(edit.after)
        }
        try life.endKeepingToPlanes()
        return results
    }
}
