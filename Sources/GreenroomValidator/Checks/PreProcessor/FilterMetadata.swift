import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomRunner

extension Catalogue {
    /// The frame's description.
    static let filterMetadata = Check(
        "pre-processor.metadata", "the frame's description is unchanged",
        of: .filters,
        rule: "A filter does not change the frame's description.",
        why: "The host keeps its description and ignores a changed one.",
        measured: """
            Every member of gr_mutable_frame before and after process, in both ranges and \
            matrices, each row and odd sizes.
            """,
        fix: "Treat the struct as read-only, and write only to the planes."
    ) { examination throws(Verdict) in
        let stage = FilterStage(examination)
        let colors = [ColorSpace.bt709Limited, .bt709Full, .bt601Limited, .bt601Full]
        let sources = colors.map { FilterFrame(.slope, color: $0, examination.random(3)) }
        var count = 0
        for row in FilterSizes.table + FilterSizes.unfamiliar {
            guard let life = try stage.begin(row) else { continue }
            for source in sources {
                let changed = try life.edit(source).changed
                guard changed.isEmpty else {
                    throw .failed(
                        "at \(row.size) it changes \(changed.text) of the frame that process was "
                            + "handed: write to the planes, and leave the rest as it is")
                }
                count += 1
            }
            try life.end()
        }
        guard count > 0 else {
            throw .hindered(by: "pre-processor.sizes", "does not initialize at any row")
        }
        return .passed("\(count) frames")
    }
}
