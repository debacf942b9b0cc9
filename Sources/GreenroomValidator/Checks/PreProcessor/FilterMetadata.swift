import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    /// What the frame says of itself.
    static let filterMetadata = Check(
        "pre-processor.metadata", "what a frame says of itself is left as it is",
        of: [.preProcessor],
        proving: """
            Has frames of both ranges and matrices edited at each row of the table and at odd sizes, \
            and looks whether the gr_mutable_frame \
            that process was handed is the same afterwards, member by member: size, format, planes \
            and their strides, rotation, range, matrix, offer revision and stamp. A pre-processor \
            edits pixels in place; the host goes on with the description that it knows, and does not \
            look at what a filter made of it. The plugin's process tells this, as nobody else can.
            """
    ) { examination throws(Verdict) in
        let stage = FilterStage(examination)
        let colors = [ColorSpace.bt709Limited, .bt709Full, .bt601Limited, .bt601Full]
        let pictures = colors.map { FilterFrame(.slope, color: $0, examination.random(3)) }
        var count = 0
        for row in FilterSizes.table + FilterSizes.unfamiliar {
            guard let life = try stage.begin(row) else { continue }
            for picture in pictures {
                let changed = try life.edit(picture).changed
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
            throw .hindered(by: "pre-processor.sizes", "it does not initialize at any row")
        }
        return .passed("\(count) frames")
    }
}
