import GreenroomLifecycle
import GreenroomMedia

extension Catalogue {
    /// Neutral settings leave every frame unchanged.
    static let filterIdentity = Check(
        "pre-processor.identity", "neutral at one size is neutral at all", of: .filters,
        rule: "A filter without effect at one size has none at any.",
        why: "A lost column or a wrong rounding shows only at some sizes.",
        measured: """
            Frames at 640x360. If they return byte for byte, they must do so at other \
            rows, odd sizes, full range and the other matrix; skipped otherwise.
            """,
        fix: "Return early for neutral settings, and round chroma up."
    ) { examination throws(Verdict) in
        let stage = FilterStage(examination)
        let familiar = VideoCapability(width: 640, height: 360, fps: 30)
        let first = try examination.firstChange(at: familiar, [.bt709Limited], on: stage)
        guard let first else {
            throw .hindered(by: "pre-processor.sizes", "does not edit \(familiar.size)")
        }
        guard first.changed == nil else {
            throw .skipped("not neutral with these settings: it changes frames")
        }
        var count = first.count
        let table = FilterSizes.table.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
        for row in table + FilterSizes.unfamiliar {
            let colors = [ColorSpace.bt709Limited, .bt709Full, .bt601Limited]
            guard let found = try examination.firstChange(at: row, colors, on: stage) else {
                continue
            }
            if let changed = found.changed {
                throw .failed(
                    "\(familiar.size) stays unchanged, but \(row.size) does not: \(changed) "
                        + "differs. Neutral settings must leave every frame unchanged: check odd sizes, "
                        + "range and matrix, and rounding")
            }
            count += found.count
        }
        return .passed("\(count) frames stay unchanged")
    }
}

extension Examination {
    /// Finds a frame that is returned changed.
    ///
    /// - Returns: The frame, and the number of unchanged ones before it; nil if the size is not
    ///   edited.
    fileprivate func firstChange(
        at row: VideoCapability, _ colors: [ColorSpace], on stage: FilterStage
    ) throws(Verdict) -> (count: Int, changed: String?)? {
        // Under guard, so that late writes are not taken for edits.
        guard let life = try stage.begin(row, guarded: watch(isClosed: true)) else { return nil }
        var count = 0
        for color in colors {
            for content in FilterFrame.Content.allCases {
                let source = FilterFrame(content, color: color, random(4))
                let edit = try life.editKeepingToPlanes(source)
                guard edit.status == .ok else { return nil }
                guard edit.isUnchanged else { return (count, "\(content) in \(color.text)") }
                count += 1
            }
        }
        try life.endKeepingToPlanes()
        return (count, nil)
    }
}

extension ColorSpace {
    /// Range and matrix as text.
    fileprivate var text: String {
        "\(range == .full ? "full" : "limited") range, \(matrix == .bt709 ? "BT.709" : "BT.601")"
    }
}
